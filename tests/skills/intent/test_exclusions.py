import pytest

from paper_search.skills.intent.exclusions import read_exclusions
from paper_search.skills.intent.forms import ParsedQuestion, without_cuts


def read(text: str) -> ParsedQuestion:
    reading = ParsedQuestion(text)
    read_exclusions(reading)
    return reading


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("pollination by bees but not honey bees", ("honey bees",)),
        ("pollination by bees, not honey bees", ("honey bees",)),
        ("wild bees not honey bees", ("honey bees",)),
        ("bees except honey bees", ("honey bees",)),
        ("bees except for honey bees", ("honey bees",)),
        ("bees excluding honey bees", ("honey bees",)),
        (
            "bees except for mason bees and honey bees or wasps",
            ("mason bees", "honey bees", "wasps"),
        ),
        ("bees, with the exception of honey bees", ("honey bees",)),
        ("bees other than honey bees", ("honey bees",)),
        ("bees apart from honey bees", ("honey bees",)),
        ("exclude honey bees: pollination by bees", ("honey bees",)),
        ("bees excl. honey bees", ("honey bees",)),
        ("bees -honeybee", ("honeybee",)),
        ("bees w/o honey bees", ("honey bees",)),
        ("bees leave out honey bees", ("honey bees",)),
        ("bees, ignore honey bees", ("honey bees",)),
        ("bees, skip the honey bees", ("honey bees",)),
        ("bees, never mind honey bees", ("honey bees",)),
        ("bees no honey bees", ("honey bees",)),
        ("bees (honey bees excluded)", ("honey bees",)),
        ("Do journals help nurses? Midwifery is to be set to one side.", ("Midwifery",)),
        ("Bees in towns. Wasps are excluded from the survey.", ("Wasps",)),
        ("I could not care less about wasps. Bees in towns", ("wasps",)),
        ("bees, honey bees left out", ("honey bees",)),
        ("robots, legged not wheeled", ("wheeled",)),
        ("legged not wheeled robots", ("wheeled robots",)),
        ("not wasps but bees", ("wasps",)),
        ("solar power NOT photovoltaic", ("photovoltaic",)),
        ("printing without Gutenberg or Caxton", ("Gutenberg", "Caxton")),
        ("funds, excl. US funds and ETFs", ("US funds", "ETFs")),
        ("plants in soil but not in greenhouse pots", ("greenhouse pots",)),
        ("bees (not honey bees)", ("honey bees",)),
        ("bees, no honey bees", ("honey bees",)),
        ("bees, minus honey bees", ("honey bees",)),
        ("I am interested in bees. I am not interested in honey bees.", ("honey bees",)),
        ("bees, but nothing on honey bees", ("honey bees",)),
        ("please find papers on bees and do not include honey bees", ("honey bees",)),
        ("bees. Don't show honey bees", ("honey bees",)),
        ('bees but not "honey bees"', ("honey bees",)),
        ("caffeine and sleep, excluding animal studies", ("animal studies",)),
        ("caffeine, not tea", ("tea",)),
        ("Does coffee, but not tea, lower blood pressure?", ("tea",)),
        ("caffeine excluding tea, cocoa and guarana", ("tea", "cocoa", "guarana")),
        ("caffeine, no tea or cocoa", ("tea", "cocoa")),
        ("caffeine excluding studies of rats", ("rats",)),
        ("segmentation papers not using deep learning", ("deep learning",)),
        ("robots, but not the dynamics of arm motion", ("dynamics of arm motion",)),
        ("bees excluding wasps, hornets and ants in cities", ("wasps", "hornets", "ants")),
        ("bees, not wasps, hornets, ants", ("wasps", "hornets", "ants")),
        ("pollination in rivers NOT lakes AND ponds", ("lakes",)),
        ("bees not (drones or hornets)", ("drones", "hornets")),
        ("bees, not (wasps, hornets) in cities", ("wasps", "hornets")),
        ('bees excluding ("honey bees" and wasps)', ("honey bees", "wasps")),
        ("bees, not in (the tropics or deserts)", ("tropics", "deserts")),
        ("bees -(wasps or hornets)", ("wasps", "hornets")),
        ("bees not: wasps, hornets", ("wasps", "hornets")),
        ("bees, not: wasps; hornets", ("wasps", "hornets")),
        ("bees in cities no wasps please", ("wasps",)),
        ("no studies on wasps: bees in cities", ("wasps",)),
        ("bees, excluding, e.g., wasps, hornets", ("wasps", "hornets")),
        ("bees, wasps excluded, hornets included", ("wasps",)),
        ("bees. Wasps are irrelevant", ("Wasps",)),
        ("bees, wasps are out", ("wasps",)),
        ("bees, bar Finland and Kenya", ("Finland", "Kenya")),
        ("bees - don't include wasps - in Kenya", ("wasps",)),
        ("bees - all but wasps - in Kenya", ("wasps",)),
        ("bees: everything save for wasps", ("wasps",)),
        ("bees yes, wasps no", ("wasps",)),
        ("bees, I can do without wasps", ("wasps",)),
        ("bees; the literature on wasps doesn't interest me", ("wasps",)),
        ("I have no interest in wasps but in bees", ("wasps",)),
        ("bees; wasps, hornets and ants are excluded", ("wasps", "hornets", "ants")),
        ("bees. wasps are irrelevant to me", ("wasps",)),
        ("bees; wasps are not my topic", ("wasps",)),
        ("traps for anything but wasps", ("wasps",)),
        ("bees w/o wasps, w/o hornets", ("wasps", "hornets")),
        ("bees, exclude wasps; hornets; honey bees", ("wasps", "hornets", "honey bees")),
    ],
)
def test_what_is_not_wanted_is_excluded_and_not_ranked_by(text, terms):
    found = read(text)
    assert found.excluded == [*terms]
    assert not any(term in found.question for term in terms)
    assert found.notes == []


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("solar cells, not reviews", ("review",)),
        ("solar cells but no surveys", ("review",)),
        ("solar cells without review articles", ("review",)),
        ("solar cells excluding systematic reviews and preprints", ("review", "article")),
        ("solar cells, not conference papers or theses", ("paper-conference", "thesis")),
        ("solar cells, without books", ("book",)),
        ("solar cells. Please exclude working papers", ("report",)),
        ("solar cells; not a review", ("review",)),
        ("not a review: solar cells", ("review",)),
        ("spare me the editorials: solar cells", ("editorial",)),
        ("Preprints are off the table, please. Solar cells", ("article",)),
        ("neither reviews nor preprints: solar cells", ("review", "article")),
        ("solar cells for ships no reviews", ("review",)),
        ("solar cells for ships no reviews, since 2015", ("review",)),
        ("solar cells, no reviews or theses please", ("review", "thesis")),
        ("solar cells for ships no reviews, no theses", ("review", "thesis")),
        ("solar cells for ships no reviews please", ("review",)),
        ("solar cells not (reviews or preprints)", ("review", "article")),
    ],
)
def test_kinds_of_publication_are_excluded_as_kinds(text, kinds):
    found = read(text)
    assert (found.constraints.excluded_types, found.excluded) == ([*kinds], [])


@pytest.mark.parametrize(
    "text",
    [
        "not only bees but also wasps",
        "no-reference image quality",
        "nonlinear optics and non-linear waves",
        "whether or not statins help",
        "why not use wasps",
        "drugs that do not cross the barrier",
        "is the skin friction not sensitive to heat",
        "a theorem without loss of generality",
        "genes not expressed in the brain",
        "animals not always awake",
        "no free lunch theorems",
        "bees, but not necessarily honey bees",
        "possibly, but not exclusively, in a distributed environment",
        "what else is there other than",
        "minus end of microtubules",
        "residual structure, skip connection, and dropout",
        "sex workers who are not in contact with health services",
        "Doctors Without Borders cholera response",
        "nothing about us without us: research on disability",
        "the no-cloning theorem",
        "the no free lunch theorem",
        "bees, no longer in decline",
        "sepsis in patients not responding to fluids",
        "children not vaccinated",
        "does money not buy happiness?",
        "deep learning -a survey",
        "effects of avoiding gluten on the gut",
        "impact of excluding children from drug trials",
        "Does leaving out the control group bias before-and-after studies?",
        "Should we exclude pregnant women from trials?",
        "when to exclude studies from a meta-analysis",
        "avoiding antibiotics in viral infections",
        "remove arsenic from water",
        "ignore the gap: metro safety",
        "gradient coding: avoiding stragglers",
        "sets avoiding unit distances",
        "skip context tree switching",
        "networks, but not the hardware that is used in them",
        "surgery not (yet) approved",
        "wounds not (fully) closed",
        "fathers: no (there is another student)",
        "women who don't want children",
        "voters who have no interest in politics",
        "bridges all but forgotten",
        "buyers not interested in loans",
        "no place for a child: camps",
    ],
)
def test_other_negations_change_nothing(text):
    assert read(text) == ParsedQuestion(text, subject=text)


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        ("learning without labels", "without labels"),
        ("learning without forgetting", "without forgetting"),
        ("surgery on adults without anaesthesia", "without anaesthesia"),
        ("stroke in patients without diabetes", "without diabetes"),
        ("stroke in patients without atrial fibrillation", "without atrial fibrillation"),
        ("image captioning without paired data", "without paired data"),
        ("trees rather than shrubs in cities", "rather than shrubs"),
        ("ranking instead of a classification task", "instead of a classification task"),
        ("rather than shrubs, trees in cities and parks", "rather than shrubs"),
        ("wheat on soils with neither lime nor peat", "with neither lime nor peat"),
        ("hypertension -treatment in the old", "-treatment"),
        ("patients with and without migraine", "without migraine"),
        ("bees in cities no wasps", "no wasps"),
        ("no wasps: bees in cities", "no wasps"),
        ("nothing on wasps: bees in cities", "nothing on wasps"),
        ("Anything but simple: the life of bees", "Anything but simple"),
        ("diets that do not include gluten", "that do not include gluten"),
        ("robots that do not need maps", "that do not need maps"),
        ("papers on bees that do not concern wasps", "that do not concern wasps"),
        ("solar cells that are not silicon", "that are not silicon"),
        ("biomarkers of dementia not based on PET", "not based on PET"),
        ("diets not containing meat", "not containing meat"),
        ("models not requiring labels", "not requiring labels"),
        ("engines that don't use lithium for ships", "that don't use lithium"),
        ("trees as opposed to shrubs in cities", "as opposed to shrubs"),
        ("no wasps please: bees in cities", "no wasps"),
        ("without wasps: bees in cities", "without wasps"),
        ('"solar cells" without "thin films"', 'without "thin films"'),
        ("papers that do not use wood", "papers that do not use wood"),
        ("studies without controls in schools", "studies without controls"),
        ("bridges that do not concern wood", "that do not concern wood"),
        ("no change was observed in sleep", "no change"),
        ("caffeine, but not tea, improves sleep", "but not tea"),
        ("lithium batteries: wood excluded, steel included", "wood excluded"),
        ("anything but deep learning for image segmentation", "anything but deep learning"),
        ("Excluding the Poor: guards in Lima", "Excluding the Poor"),
        ("bees without honey bees", "without honey bees"),
        ("bees -honeybee for fruit trees", "-honeybee"),
        ("stroke in patients without (gout or anaemia)", "without (gout or anaemia)"),
    ],
)
def test_a_negation_that_may_be_the_subject_excludes_nothing_and_says_how_to(text, doubtful):
    found = read(text)
    assert (found.excluded, found.constraints.excluded_types, found.question) == ([], [], text)
    assert f"{doubtful!r} is read as part of the subject" in found.notes[0]
    assert "excluding" in found.notes[0]
    assert doubtful not in found.subject


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Does coffee, but not tea, lower blood pressure?", "Does coffee lower blood pressure?"),
        ("bees in Kenya (not honey bees)", "bees in Kenya"),
        ("bees in Kenya (honey bees excluded), since", "bees in Kenya, since"),
        ("bees; excluding wasps; hornets in cities", "bees; hornets in cities"),
        ("bees, no preprints; reviews", "bees, reviews"),
    ],
)
def test_the_rest_reads_on_without_the_exclusion(text, rest):
    assert without_cuts(read(text).question) == rest


def test_what_is_left_out_in_a_sentence_is_no_concept_and_named():
    found = read("Cas12, but leave out what they did together with Charpentier")
    assert (found.excluded, "Charpentier" in found.subject) == ([], False)
    [note] = found.notes
    assert "not acted on: 'but leave out what they did together with Charpentier'" in note


def test_an_exclusion_of_what_a_clause_describes_is_named_and_no_subject():
    reading = read("bridges excluding wood that is treated with tar")
    assert (without_cuts(reading.subject), reading.excluded) == ("bridges", [])
    [note] = reading.notes
    assert note.startswith("not acted on: 'excluding wood that is treated with tar'; to exclude")


@pytest.mark.parametrize("cue", ["excluding", "not"])
def test_a_sure_exclusion_behind_a_doubtful_one_is_acted_on(cue):
    reading = read(f"bees without a sting, {cue} wasps")
    assert reading.excluded == ["wasps"]
    [note] = reading.notes
    assert note.startswith("'without a sting' is read as part of the subject")
