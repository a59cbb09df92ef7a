import pytest

from paper_search.skills import IntentParser
from paper_search.skills.intent.forms import ParsedQuestion, without_cuts
from paper_search.skills.intent.names import Lookup, lookups_of, read_names

KNOWN = {("author", "Ostrom"), ("venue", "Solar Physics")}


def read(text: str, lookup: Lookup = lambda *_: None) -> ParsedQuestion:
    reading = ParsedQuestion(text)
    read_names(reading, lookup)
    return reading


def read_here(text: str) -> ParsedQuestion:
    """Read a text where records know two names."""
    return read(text, lambda kind, name: (kind, name) in KNOWN)


@pytest.mark.parametrize(
    ("text", "names", "rest"),
    [
        ("papers by Vaswani on attention", ["Vaswani"], "papers on attention"),
        ("works of Geoffrey Hinton", ["Geoffrey Hinton"], "works"),
        ("papers from Geoffrey Hinton on learning", ["Geoffrey Hinton"], "papers on learning"),
        ("articles by Smith and Jones", ["Smith", "Jones"], "articles"),
        ("causality by J. Pearl", ["J. Pearl"], "causality"),
        ("research by Hannah Arendt about power", ["Hannah Arendt"], "research about power"),
        ("papers by O'Brien et al. on sleep", ["O'Brien"], "papers on sleep"),
        (
            "studies by Maria Garcia-Lopez, Jan van der Berg and Li Wei on cells",
            ["Maria Garcia-Lopez", "Jan van der Berg", "Li Wei"],
            "studies on cells",
        ),
        ("attention written by Vaswani", ["Vaswani"], "attention"),
        ("attention by Vaswani and colleagues", ["Vaswani"], "attention"),
        ("books by Marie Curie since then", ["Marie Curie"], "books since then"),
        ("graph theory by Erdős or Rényi", ["Erdős", "Rényi"], "graph theory"),
        ("the earliest works of Alan Turing", ["Alan Turing"], "the earliest works"),
        ("novels by Jane Austen", ["Jane Austen"], "novels"),
        ("anything by Turing or Church", ["Turing", "Church"], "anything"),
        ("Hinton's papers on capsules", ["Hinton"], "on capsules"),
        ("author: Doudna J, Cas9", ["Doudna J"], "Cas9"),
        ("what has Thomas Piketty written about taxes", ["Thomas Piketty"], "about taxes"),
        (
            "what have Acemoglu and Robinson written together on growth",
            ["Acemoglu", "Robinson"],
            "on growth",
        ),
        ("papers by Black on policing", ["Black"], "papers on policing"),
        ("papers by May on stability", ["May"], "papers on stability"),
    ],
)
def test_names_of_persons_are_authors(text, names, rest):
    found = read(text)
    assert found.authors == names
    assert without_cuts(found.question) == rest


@pytest.mark.parametrize(
    "text",
    [
        "learning by means of examples",
        "image recognition by deep learning",
        "image recognition by Deep Learning",
        "papers from China on obesity",
        "papers from Stanford University",
        "treatment of cancer",
        "theory of Einstein",
        "the reading of Hegel by Kojeve and the end of history",
        "studies of Parkinson disease",
        "papers by women on physics",
        "papers by nurses",
        "papers by robots on art",
        "parameter estimation by Gibbs sampling",
        "solutions by Monte Carlo",
        "papers by using graphs",
        "Image Recognition by Graph Cuts",
        "the transformer proposed by Vaswani",
        "articles by Salton or others about clusters",
        "articles by Prieve or Udo Pooch Prieve, B.",
        "Bell's inequality and Young's modulus",
        "Alzheimer's disease",
        "centres closed by May 2020",
        "by and by",
        "papers by",
        "cell wall repair in plants",
        "human nature and science education",
        "nature of science",
        "papers published in Kenya",
        "discrete prompts in Large Language Models",
    ],
)
def test_other_words_are_no_names(text):
    found = read(text)
    assert (found.names, found.question) == ([], text)


def test_authors_who_are_not_wanted_are_named_in_a_note():
    found = read("deep learning, not by Hinton")
    assert found.authors == []
    assert 'NOT author:"Hinton"' in found.notes[0]
    assert "Hinton" not in found.question


@pytest.mark.parametrize(
    ("text", "venues", "rest"),
    [
        ("crispr in Nature", ["Nature"], "crispr"),
        ("crispr papers in Cell", ["Cell"], "crispr papers"),
        ("screening published in The Lancet or BMJ", ["Lancet", "BMJ"], "screening"),
        ("entanglement in Physical Review A", ["Physical Review A"], "entanglement"),
        ("Physical Review A papers on light", ["Physical Review A"], "papers on light"),
        ("journal: CITIES, gentrification", ["CITIES"], "gentrification"),
        ("journal of finance articles on risk", ["journal of finance"], "articles on risk"),
        ("fairness at NeurIPS or ICML", ["NeurIPS", "ICML"], "fairness"),
        ("CSCW conference papers on voice", ["CSCW"], "papers on voice"),
        ("prices in the American Economic Review", ["American Economic Review"], "prices"),
    ],
)
def test_names_of_journals_and_conferences_are_venues(text, venues, rest):
    names = read(text)
    assert names.venues == venues
    assert without_cuts(names.question) == rest


def test_a_reference_has_an_author_and_a_year():
    for text in ("Hinton et al. 2012", "Hinton et al. (2012)", "Hinton (2012)"):
        names = read(text)
        assert (names.authors, without_cuts(names.question)) == (["Hinton"], "")
        assert names.constraints.year_from == names.constraints.year_to == 2012


def test_a_name_in_a_weak_form_is_a_limit_only_where_records_know_it():
    assert read_here("Ostrom on the commons").authors == ["Ostrom"]
    assert read_here("flares in Solar Physics").venues == ["Solar Physics"]
    assert read_here("flares in Coronal Loops").venues == []
    unsure = read("Ostrom on the commons")
    assert unsure.authors == []
    assert "not acted on: Ostrom" in unsure.notes[0]


def test_a_name_in_a_sure_form_that_records_lack_stays_words_with_a_note():
    names = read_here("papers by Vaswani on attention")
    assert (names.authors, names.question) == ([], "papers by Vaswani on attention")
    assert "no paper in the library has the author Vaswani" in names.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "papers on anxiety in schools by Asa Berta",
        "papers on anxiety in schools author:Asa Berta",
        "what is known of anxiety? author: Berta",
        "the turbulence of water, published in Journal of Fluid Mechanics",
    ],
)
async def test_what_a_note_says_to_write_for_a_name_that_records_lack_works(text):
    async def lookup(_kind: str, _name: str) -> bool:
        return False

    note = (await IntentParser(lookup=lookup).parse(text)).notes[0]
    advice = note.partition("write ")[2]
    intent = await IntentParser(lookup=lookup).parse(f"anxiety of pupils in schools {advice}")
    assert intent.authors + intent.venues == [advice.partition('"')[2].strip('"')]
    assert (intent.question, intent.notes) == ("anxiety of pupils in schools", [])


async def test_the_name_of_a_journal_without_quotation_marks_is_no_boolean_query():
    intent = await IntentParser().parse("turbulence venue:Journal of Fluid Mechanics")
    assert (intent.venues, intent.concepts) == (["Journal of Fluid Mechanics"], ["turbulence"])
    two = await IntentParser().parse('moss in bogs author:"Asa Berta" or "Bo Li"')
    assert two.authors == ["Asa Berta", "Bo Li"]


def test_names_that_a_reading_looks_up_are_known_beforehand():
    wanted = {("author", "Vaswani"), ("venue", "Nature")}
    assert wanted <= set(lookups_of("papers by Vaswani in Nature"))
