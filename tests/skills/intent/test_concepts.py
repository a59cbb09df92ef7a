import pytest

from paper_search.skills.intent.concepts import MAX_CONCEPTS, concepts_of


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        (
            "graph neural networks for molecular property prediction",
            ["graph neural networks", "molecular property prediction"],
        ),
        ("Find papers on the effects of caffeine on sleep", ["caffeine", "sleep"]),
        ("How does sleep loss affect memory in teenagers?", ["sleep loss", "memory", "teenagers"]),
        ("Does methylphenidate cause cancer in teenagers?",
         ["methylphenidate", "cancer", "teenagers"]),
        ("cause of death in dialysis", ["death", "dialysis"]),
        ("Can smoking lead to dementia?", ["smoking", "dementia"]),
        ("does climate change cause drought", ["climate change", "drought"]),
        ("why do transformers handle long documents", ["transformers", "long documents"]),
        ("how do bees communicate where food is", ["bees", "communicate", "food"]),
        ("does body shape predict mortality", ["body shape", "mortality"]),
        ("does dark matter interact with itself", ["dark matter"]),
        ("do sports injuries heal", ["sports injuries", "heal"]),
        ("what drives insect decline", ["insect decline"]),
        ("What limits the stability of perovskites?", ["stability", "perovskites"]),
        ("Can urinary biomarkers diagnose endometriosis?", ["urinary biomarkers", "endometriosis"]),
        ("accuracy of tests for the diagnosis of dehydration", ["dehydration"]),
        ("early detection of autism", ["early detection", "autism"]),
        ("what leaves do koalas eat", ["leaves", "koalas"]),
        ("does tea delay the onset of dementia", ["tea", "delay", "onset", "dementia"]),
        ("bee decline and crop yields in Asia", ["bee decline", "crop yields", "Asia"]),
        ("can the tenant of the house be heard", ["tenant", "house", "heard"]),
        ("how trust leads to privacy concerns", ["trust", "privacy concerns"]),
        ("how poverty results in crime", ["poverty", "crime"]),
        ("yoga helps with pain, if at all", ["yoga", "pain"]),
        ("knowledge graphs for question answering", ["knowledge graphs", "question answering"]),
        ("problem solving with time series", ["problem solving", "time series"]),
        ("sleep and academic performance", ["sleep", "academic performance"]),
        ("academic papers on scientific misconduct", ["scientific misconduct"]),
        ("I need sources on water sources", ["water sources"]),
        ("could you list flows for 3D shape generation", ["flows", "3D shape generation"]),
        ("quality of life in COVID-19 patients", ["quality of life", "COVID-19 patients"]),
        ('"deep brain stimulation" for tremor', ["deep brain stimulation", "tremor"]),
        ("substance use disorder in US veterans", ["substance use disorder", "US veterans"]),
        ("C++ static analysis", ["C++ static analysis"]),
        ("the role of side effects in therapy", ["side effects", "therapy"]),
        ("the impact of noise on perceived annoyance", ["noise", "perceived annoyance"]),
        ("what is known about quantum entanglement measures", ["quantum entanglement measures"]),
        (
            "which works are considered the first to propose attention in translation",
            ["attention", "translation"],
        ),
        ("colorectal cancer screening compared in Germany", ["colorectal cancer screening",
                                                             "Germany"]),
        ("studies that achieved local alignment by sampling", ["local alignment", "sampling"]),
        ("how to train GANs", ["GANs"]),
        ("How well do vaccines work in the elderly?", ["vaccines", "elderly"]),
        ('"How much?" is not enough in budgets', ["How much?", "budgets"]),
        ("World War 2 veterans with tinnitus", ["World War 2", "veterans", "tinnitus"]),
        ("children's literature in Brazil", ["children's literature", "Brazil"]),
        (
            "chronic obstructive pulmonary disease exacerbations in the cold",
            ["chronic obstructive pulmonary disease", "exacerbations", "cold"],
        ),
        ("post-traumatic stress disorder treatment in veterans",
         ["post-traumatic stress disorder", "treatment", "veterans"]),
        ("staging of gastric cancer in patients by endoscopic ultrasonography (EUS)",
         ["staging", "gastric cancer", "endoscopic ultrasonography"]),
        ("fully convolutional networks potentially useful to doctors",
         ["fully convolutional networks", "doctors"]),
        ("asymptotic methods in physics", ["asymptotic methods", "physics"]),
        ("asthma in children living in cities", ["asthma", "children", "cities"]),
        ("dust in rooms for independent living", ["dust", "rooms", "independent living"]),
        ("stigma experienced by migrants", ["stigma", "migrants"]),
        ("tea in developing countries", ["tea", "developing countries"]),
        ("improving sample efficiency in robots", ["sample efficiency", "robots"]),
        ("flutter data measured in tunnels", ["flutter data", "tunnels"]),
        ("information retrieval in libraries", ["information retrieval", "libraries"]),
        ("libraries and public libraries", ["public libraries"]),
        ("work by H.C. on cells", ["cells"]),
        ("children who do not respond to methylphenidate", ["children", "methylphenidate"]),
        ("why don't antidepressants work", ["antidepressants work"]),
        ("diets that don't help children", ["diets", "children"]),
        ("users younger than farmers", ["users", "farmers"]),
        ("Impact of Sanctions AND Tariffs on Some", ["Sanctions", "Tariffs"]),
        ("Why Some Firms Grow and Others Do NOT", ["Firms"]),
        ("the OR of stroke", ["OR", "stroke"]),
        ("the scent of a lily", ["scent", "lily"]),
        # a list of keywords is words and known terms
        ("hyper neural network meta learning", ["hyper", "neural network", "meta learning"]),
        ("video large language models temporal reasoning",
         ["video", "large language models", "temporal reasoning"]),
        ("pollen moss lichen fern", ["pollen", "moss", "lichen", "fern"]),
        # so are terms of OpenAlex's topics, which stand between known ones
        ("urban heat island mitigation policies",
         ["urban heat island", "mitigation", "policies"]),
        ("the urban heat island mitigation of parks", ["urban heat island", "mitigation", "parks"]),
        ("marine protected areas and fish", ["marine protected areas", "fish"]),
        ("rainy season areas and fish", ["rainy season", "fish"]),
        ("feedback in second language writing", ["feedback", "second language writing"]),
        # a long noun phrase of a sentence is pairs of words from its end
        ("the stability of corrugated core sandwich cylinders",
         ["stability", "corrugated core", "sandwich cylinders"]),
        # empty words are concepts only where there are no others, an age or a span is none
        ("the role of the method", ["role", "method"]),
        ("the role of the method in moss", ["moss"]),
        ("adults (18+) with falls, 11–16", ["adults", "falls"]),
        ("security of 802.11", ["security", "802.11"]),
    ],
)  # fmt: skip
def test_concepts_are_the_noun_phrases(text, concepts):
    assert [*concepts_of(text)] == concepts


@pytest.mark.parametrize(
    ("text", "concepts", "alternatives"),
    [
        (
            "statins or fibrates for cholesterol",
            ["statins", "cholesterol"],
            {"statins": ["fibrates"]},
        ),
        ("cats, dogs or mice in labs", ["cats", "labs"], {"cats": ["dogs", "mice"]}),
        ("cats, dogs, or mice in labs", ["cats", "labs"], {"cats": ["dogs", "mice"]}),
        (
            "urban fox behaviour, Wales or Ireland",
            ["urban fox behaviour", "Wales"],
            {"Wales": ["Ireland"]},
        ),
        ("either cats or dogs", ["cats"], {"cats": ["dogs"]}),
        ("cats and/or dogs", ["cats"], {"cats": ["dogs"]}),
        ("cats and / or dogs", ["cats"], {"cats": ["dogs"]}),
        (
            "short or long term memory in rats",
            ["long term memory", "rats"],
            {"long term memory": ["short term memory"]},
        ),
        (
            "large language models (LLMs) for code",
            ["large language models", "code"],
            {"large language models": ["LLMs"]},
        ),
        ("cats and dogs", ["cats", "dogs"], {}),
        ("whether or not statins help", ["statins"], {}),
        ("networks with one or more layers", ["networks", "layers"], {}),
        ("asthma in more or less polluted towns", ["asthma", "polluted towns"], {}),
    ],
)
def test_or_gives_alternatives(text, concepts, alternatives):
    found = concepts_of(text)
    assert [*found] == concepts
    assert {name: others for name, others in found.items() if others} == alternatives


def test_of_many_the_rarest_stay_in_their_order():
    found = concepts_of("data, moss, time, lichen, system, fern, model, pollen, algae, sedge")
    assert [*found] == ["moss", "lichen", "fern", "pollen", "algae", "sedge"]
    assert len(found) == MAX_CONCEPTS
