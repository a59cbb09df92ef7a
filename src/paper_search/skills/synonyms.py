"""Synonyms that subject headings lack, one group per line."""

from __future__ import annotations

from functools import cache

from paper_search.skills.words import is_unspaced, tokens

_TABLE = """
graph neural network | GNN | graph convolutional network | message passing neural network
convolutional neural network | CNN | ConvNet
recurrent neural network | RNN
long short-term memory | LSTM
generative adversarial network | GAN
variational autoencoder | VAE
deep learning | deep neural network | DNN
neural network | artificial neural network
machine learning | statistical learning
reinforcement learning | RL | deep reinforcement learning
large language model | LLM | foundation model | generative pre-trained transformer
language model | pretrained language model
natural language processing | NLP | computational linguistics
retrieval-augmented generation | RAG | retrieval augmented language model
vision transformer | ViT
transformer | self-attention
diffusion model | score-based generative model
computer vision | CV
named entity recognition | NER | entity extraction
question answering | QA
machine translation | neural machine translation | NMT
sentiment analysis | opinion mining
information retrieval | IR | document retrieval
recommender system | recommendation system | collaborative filtering
knowledge graph | KG | knowledge base
explainable artificial intelligence | XAI | explainable AI | interpretability
artificial intelligence | AI
federated learning | FL | collaborative learning
transfer learning | domain adaptation
self-supervised learning | SSL | contrastive learning
few-shot learning | meta-learning
anomaly detection | outlier detection | novelty detection
time series forecasting | time series prediction
object detection | object recognition
semantic segmentation | image segmentation
simultaneous localization and mapping | SLAM
internet of things | IoT
software engineering | software development
code generation | program synthesis
static analysis | program analysis
support vector machine | SVM
random forest | decision tree ensemble
principal component analysis | PCA
human-computer interaction | HCI | user interface
human-in-the-loop | HITL | interactive machine learning
uncertainty quantification | UQ | predictive uncertainty
automatic speech recognition | ASR | speech recognition
optical character recognition | OCR | text recognition
drug discovery | drug design | drug development
molecular property prediction | QSAR | quantitative structure-activity relationship
density functional theory | DFT | first-principles calculation
molecular dynamics | MD | atomistic simulation
finite element method | FEM | finite element analysis
computational fluid dynamics | CFD
partial differential equation | PDE
Monte Carlo | MCMC | Markov chain Monte Carlo
perovskite solar cell | PSC | halide perovskite | perovskite photovoltaic
solar cell | photovoltaic | photovoltaics
lithium-ion battery | Li-ion battery | LIB
solid-state battery | solid electrolyte | all-solid-state battery
metal-organic framework | MOF | porous coordination polymer
high-entropy alloy | HEA | multi-principal element alloy
two-dimensional material | 2D material | van der Waals material
additive manufacturing | 3D printing | selective laser melting
machine learning potential | interatomic potential | force field
hydrogen evolution reaction | HER
oxygen reduction reaction | ORR
carbon capture | CO2 capture | carbon dioxide capture
fuel cell | PEMFC
scanning electron microscopy | SEM
X-ray diffraction | XRD
randomized controlled trial | RCT | randomised controlled trial | randomized trial
systematic review | meta-analysis
cancer | neoplasm | tumor | malignancy
breast cancer | breast neoplasm | breast carcinoma
lung cancer | lung neoplasm | non-small cell lung cancer | NSCLC
heart attack | myocardial infarction | MI
heart failure | HF | cardiac failure
stroke | cerebrovascular accident | CVA
diabetes | diabetes mellitus | T2DM | type 2 diabetes
obesity | overweight | body mass index | BMI
depression | depressive disorder | major depressive disorder | MDD
anxiety | anxiety disorder | GAD
attention deficit hyperactivity disorder | ADHD
autism | autism spectrum disorder | ASD
dementia | Alzheimer disease | cognitive decline
Alzheimer's disease | Alzheimer disease | AD
Parkinson's disease | Parkinson disease | PD
multiple sclerosis | MS
chronic kidney disease | CKD | renal insufficiency
human immunodeficiency virus | HIV | AIDS
tuberculosis | TB | Mycobacterium tuberculosis
COVID-19 | SARS-CoV-2 | coronavirus disease 2019
electronic health record | EHR | electronic medical record | EMR
intensive care unit | ICU | critical care
magnetic resonance imaging | MRI | MR imaging
computed tomography | CT
functional magnetic resonance imaging | fMRI
electroencephalography | EEG | electroencephalogram
electrocardiogram | ECG | EKG
brain-computer interface | BCI | brain-machine interface
deep brain stimulation | DBS
gut microbiome | gut microbiota | intestinal microbiota | intestinal flora
gene editing | genome editing | CRISPR
CRISPR-Cas9 | CRISPR/Cas9 | CRISPR | genome editing
single-cell RNA sequencing | scRNA-seq | single-cell transcriptomics
genome-wide association study | GWAS
polymerase chain reaction | PCR
protein structure prediction | protein folding | AlphaFold
antibiotic resistance | antimicrobial resistance | AMR
older adult | elderly | aged | senior
child | children | pediatric | paediatric
pregnancy | gestation | prenatal
quality of life | QoL | health-related quality of life | HRQoL
cognitive behavioral therapy | CBT | cognitive behavioural therapy
mindfulness | mindfulness-based intervention | meditation
sleep quality | insomnia | sleep disorder
caffeine | coffee
primary care | general practice | family medicine
nurse | nursing staff | nursing
palliative care | end-of-life care | hospice
climate change | global warming | climatic change
greenhouse gas | GHG | carbon emission
life cycle assessment | LCA | life-cycle analysis
renewable energy | clean energy | sustainable energy
electric vehicle | EV | battery electric vehicle
water treatment | wastewater treatment | water purification
biodiversity | species richness | biological diversity
microplastics | plastic pollution | plastic debris
remote sensing | satellite imagery | earth observation
geographic information system | GIS
social media | Twitter | Facebook | social networking site
misinformation | fake news | disinformation
online learning | e-learning | distance education | distance learning
higher education | university | tertiary education
gender gap | gender inequality | gender difference
income inequality | economic inequality | wealth inequality
gross domestic product | GDP | economic growth
small and medium enterprise | SME | small business
corporate social responsibility | CSR
supply chain | logistics
remote work | telework | work from home | telecommuting
job satisfaction | work satisfaction | employee satisfaction
burnout | occupational stress | work stress
immigration | migration | migrant
political polarization | partisan polarization | political polarisation
public opinion | public attitude
structural equation modeling | SEM | structural equation modelling
difference-in-differences | DiD
bibliometrics | scientometrics | bibliometric analysis
图神经网络 | graph neural network | GNN
深度学习 | deep learning
机器学习 | machine learning
大语言模型 | 大型语言模型 | large language model | LLM
自然语言处理 | natural language processing | NLP
强化学习 | reinforcement learning
知识图谱 | knowledge graph
命名实体识别 | named entity recognition | NER
推荐系统 | recommender system
药物发现 | drug discovery
分子性质预测 | molecular property prediction
医学影像 | 医学图像 | medical imaging
糖尿病 | diabetes
癌症 | 肿瘤 | cancer
钙钛矿太阳能电池 | perovskite solar cell
锂离子电池 | lithium-ion battery
气候变化 | climate change
"""

SYNONYMS: tuple[tuple[str, ...], ...] = tuple(
    tuple(name.strip() for name in line.split("|")) for line in _TABLE.strip().splitlines()
)
"""Groups of names for one concept. An acronym may stand in several groups."""

SPELLINGS: tuple[tuple[str, str], ...] = (
    ("behavior", "behaviour"), ("color", "colour"), ("tumor", "tumour"), ("labor", "labour"),
    ("center", "centre"), ("fiber", "fibre"), ("meter", "metre"), ("liter", "litre"),
    ("pediatric", "paediatric"), ("anesthe", "anaesthe"), ("hemat", "haemat"),
    ("hemorrhag", "haemorrhag"), ("anemi", "anaemi"), ("edema", "oedema"), ("esophag", "oesophag"),
    ("fetal", "foetal"), ("estrogen", "oestrogen"), ("leukemia", "leukaemia"),
    ("ischemi", "ischaemi"), ("gynecolog", "gynaecolog"), ("orthopedic", "orthopaedic"),
    ("diarrhea", "diarrhoea"), ("aluminum", "aluminium"), ("sulfur", "sulphur"),
    ("modeling", "modelling"), ("labeling", "labelling"), ("signaling", "signalling"),
    ("program", "programme"), ("catalog", "catalogue"), ("defense", "defence"),
    ("aging", "ageing"), ("gray", "grey"), ("analyz", "analys"), ("mold", "mould"),
    ("organiz", "organis"), ("optimiz", "optimis"), ("randomiz", "randomis"),
    ("polariz", "polaris"), ("characteriz", "characteris"), ("polymeriz", "polymeris"),
    ("visualiz", "visualis"), ("generaliz", "generalis"), ("crystalliz", "crystallis"),
    ("localiz", "localis"), ("quantiz", "quantis"), ("hospitaliz", "hospitalis"),
    ("digitaliz", "digitalis"), ("urbaniz", "urbanis"), ("globaliz", "globalis"),
    ("minimiz", "minimis"), ("summariz", "summaris"), ("categoriz", "categoris"),
    ("immuniz", "immunis"), ("steriliz", "sterilis"), ("normaliz", "normalis"),
    ("regulariz", "regularis"), ("tokeniz", "tokenis"), ("utiliz", "utilis"),
)  # fmt: skip
"""Parts of words as written in American and in British English."""

COMPOUNDS: tuple[tuple[str, str], ...] = (
    ("data set", "dataset"), ("data base", "database"),
    ("health care", "healthcare"), ("on line", "online"),
    ("life style", "lifestyle"), ("work place", "workplace"),
    ("micro plastics", "microplastics"), ("bio marker", "biomarker"),
    ("nano particle", "nanoparticle"), ("e learning", "elearning"),
    ("wild fire", "wildfire"), ("land slide", "landslide"),
    ("smart phone", "smartphone"), ("block chain", "blockchain"),
    ("cyber security", "cybersecurity"), ("multi modal", "multimodal"),
    ("pre trained", "pretrained"), ("bio diversity", "biodiversity"),
    ("post operative", "postoperative"), ("co operation", "cooperation"),
    ("ground water", "groundwater"), ("rain fall", "rainfall"),
    ("semi conductor", "semiconductor"), ("photo catalysis", "photocatalysis"),
    ("electro catalyst", "electrocatalyst"), ("meta analysis", "metaanalysis"),
    ("spatio temporal", "spatiotemporal"), ("time series", "timeseries"),
)  # fmt: skip
"""Compounds that are written apart, with a hyphen, or as one word."""


def is_known(name: str) -> bool:
    """Return whether the term is in the table, in any form; single words are not looked up."""
    stems = tuple(tokens(name))
    return len(stems) > 1 and stems in _known()


@cache
def _known() -> frozenset[tuple[str, ...]]:
    names = (tuple(tokens(name)) for group in SYNONYMS for name in group if not is_unspaced(name))
    return frozenset(stems for stems in names if len(stems) > 1)
