import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.resources import PackageFiles
from paper_search.skills.variants import (
    entry_terms,
    has_plural,
    heading,
    is_word,
    spelling_reasons,
    synonym_reasons,
    variants,
)
from paper_search.skills.words import term_table, tokens


@pytest.mark.parametrize(
    ("concept", "variant"),
    [
        ("GNN", "graph neural network"),
        ("graph neural networks", "GNN"),
        ("Graph Neural Network", "GNN"),
        ("LLMs", "large language model"),
        ("RCT", "randomised controlled trial"),
        ("NLP", "natural language processing"),
        ("reinforcement learning", "RL"),
        ("CNN", "convolutional neural network"),
        ("tumour growth", "tumor growth"),
        ("behavioral therapy", "behavioural therapy"),
        ("protein optimisation", "protein optimization"),
        ("data set", "dataset"),
        ("dataset", "data set"),
        ("e-learning", "online learning"),
        ("cross-validation", "cross validation"),
        ("pre-trained models", "pretrained models"),
        ("solar panel", "solar panels"),
        ("theories", "theory"),
        ("hash", "hashes"),
        ("boxes", "box"),
        ("diagnoses", "diagnosis"),
        ("RCTs", "RCT"),
        ("LLM", "LLMs"),
        ("smoker", "smokers"),
        ("parents", "mother"),  # a kind
        ("pregnant women", "pregnancy"),
        ("type 2 diabetes", "slow-onset diabetes mellitus"),  # by a name of our list
        ("Networks", "Network"),
        ("heart attack", "myocardial infarction"),
        ("metal-organic frameworks", "MOF"),
        ("antimicrobial resistance", "AMR"),
        ("CRISPR", "genome editing"),
        ("remote work", "telework"),
        ("大语言模型", "large language model"),
        ("basal cell carcinomas", "rodent ulcer"),
        ("pressure ulcers", "bedsore"),
        ("DPP4i", "dipeptidyl peptidase-4 inhibitor"),
        ("DPP-4 inhibitor", "DPP-4 inhibitors"),
        ("TNF-α inhibitors", "TNF-α inhibitor"),
        ("3D printers", "3D printer"),
        ("GLP-1 RA", "GLP-1 receptor agonist"),
        ("hypertension", "high blood pressure"),
        ("colorectal tumours", "colorectal tumor"),
        ("tumour behaviour", "tumor behavior"),
        ("patient-centered care", "patient-centred care"),
        ("sleep disorders", "sleep wake disorders"),
        ("ageing", "aging"),
    ],
)
def test_a_concept_is_known_by_its_other_names(concept, variant):
    assert variant in variants(concept)


@pytest.mark.parametrize(
    ("concept", "name", "why"),
    [
        ("magnetic resonance imaging", "MRI", "abbreviation"),
        ("GNNs", "graph neural network", "long form"),
        ("GNN", "graph convolutional network", "our list of related names"),
        ("gastric cancer", "stomach neoplasms", "MeSH heading"),
        ("gastric cancer", "cancer of stomach", "MeSH: stomach neoplasms"),
        ("theories", "theory", "singular"),
        ("theory", "theories", "plural"),
        ("tumour marker", "tumor marker", "American spelling"),
        ("tumor marker", "tumour markers", "British spelling"),
        ("data set", "dataset", "written apart or together"),
    ],
)
def test_it_is_told_why_a_name_stands_there(concept, name, why):
    assert (synonym_reasons(concept) | spelling_reasons(concept))[name] == why


@given(st.text(max_size=40))
@examples(100)
def test_any_text_has_variants_other_than_itself(text):
    found = variants(text)
    assert text not in found
    assert len({hit.casefold() for hit in found}) == len(found)


def test_the_table_has_no_lonely_or_blank_names():
    assert len(term_table("synonyms")) > 100
    for group in term_table("synonyms"):
        assert len(group) >= 2
        assert all(group)


MASS_NOUNS = ("physics", "series", "diabetes", "learning", "analysis")


@pytest.mark.parametrize(
    ("concept", "made_up"),
    [
        ("perceived", "perceiveds"),
        ("screening compared", "screening compareds"),
        ("colorectal cancer", "colourectal cancer"),
        ("meta-analysis", "meta-analyzis"),
        ("meta-analyses", "meta-analyzes"),
        ("magnetic resonance imaging", "magnetic resonance imageing"),
        ("preoperative staging", "preoperative stageing"),
        ("patient-centered care", "patient-centreed care"),
        ("digitalis", "digitaliz"),
        ("cancer of the stomach", "cancer of the stomachs"),  # its head is another word
        ("sleep disorders", "subwakefullness syndrome"),  # a hundred times rarer
        ("caffeine", "caffeines"),
        ("children", "childrens"),
        ("dental caries", "dental cary"),
        ("SOLAR PANEL", "SOLAR PANELs"),
        *((noun, f"{noun}s") for noun in MASS_NOUNS),
        *((noun, noun[:-1]) for noun in MASS_NOUNS),
        ("MS", "multiple sclerosis"),  # and much else
        ("seizures", "absence seizures"),  # only adds words
        ("macular oedema", "cystoid macular edema"),  # only adds words
        ("non-small cell lung cancer", "lung cancer"),  # only drops words
        ("learning", "memory training"),  # narrower than a common word
        ("health", "normality"),
        ("mothers", "parent"),  # of which it is a kind
        ("beavers", "capybaras"),  # another kind under the same heading
        ("beavers", "rodents"),  # the heading is broader
        ("primary schools", "secondary school"),
        ("acupuncture", "pharmacopuncture"),
        ("data protection", "cyber security"),
        ("water", "hydrogen oxide"),
        ("nurse staffing", "nurse"),
        ("teens", "female adolescents"),  # only adds words to another name
        ("T2DM", "diabetes"),
        ("girls", "women"),
        ("boys", "men"),
        ("AMR", "antimicrobial resistance"),  # and adaptive mesh refinement
        ("CSR", "corporate social responsibility"),  # and compressed sparse row
        ("SEM", "scanning electron microscopy"),  # and structural equation modeling
        ("RCTs", "Rct"),
        ("ultrasonic diagnoses", "ultrasonic diagnose"),
        ("graph neural network", "图神经网络"),
    ],
)
def test_no_form_is_made_up_or_guessed(concept, made_up):
    assert made_up not in variants(concept)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Heart Attack", "myocardial infarction"),
        ("basal cell carcinoma", "carcinoma, basal cell"),
        ("chronic obstructive pulmonary disease", "pulmonary disease, chronic obstructive"),
        ("high blood pressure", "hypertension"),
        ("castor beaver", None),  # "rodentia" is broader
        ("primary school", None),
        ("graph neural network", None),
        ("", None),
        ("heart | attack", None),
        ("abate", "temefos"),
    ],
)
def test_a_name_leads_to_its_heading(name, wanted):
    assert heading([name]) == heading([f"{name}es", name]) == wanted


def test_inverted_headings_are_turned_round_among_the_names():
    assert entry_terms(["rodent ulcer"])[0] == "basal cell carcinoma"
    assert all("," not in name for name in entry_terms(["rodent ulcer"]))


@pytest.mark.parametrize("word", ["cat", "fits", "role", "study", "model", "ms", "aim"])
def test_short_and_common_words_lead_nowhere(word):
    assert heading([word]) in {None, word, f"{word}s"}


def test_nouns_have_a_plural_and_other_words_none():
    assert all(map(has_plural, ["network", "carcinoma", "theory"]))
    assert not any(map(has_plural, ["perceived", "caffeine", "networks"]))
    assert is_word("carcinoma")
    assert not is_word("carcinomatopathy")


def test_the_tables_are_small_and_name_their_source():
    files = PackageFiles("paper_search.skills")
    names = "mesh.txt.gz", "plurals.txt.gz", "topics.txt.gz"
    assert sum(len(files.read(name)) for name in names) < 1_000_000


def test_words_of_scripts_without_spaces_are_pairs_beside_the_stems_of_others():
    assert tokens("深度学习Models 图") == ["深度", "度学", "学习", "model", "图"]
