"""Journals as their DOIs name them: which one, of which field, and of which year an article is.

arXiv's records give the DOI of the journal article, but neither the journal nor its year. Many
publishers write both into their DOIs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Article:
    """What a DOI says."""

    field: str
    venue: str
    year: int


_JOURNALS = """
mathematics
jalgebra Journal of Algebra|aim Advances in Mathematics|jfa Journal of Functional Analysis
jpaa Journal of Pure and Applied Algebra|jmaa Journal of Mathematical Analysis and Applications
geomphys Journal of Geometry and Physics|topol Topology and its Applications
laa Linear Algebra and its Applications|ejc European Journal of Combinatorics
jcta Journal of Combinatorial Theory, Series A|jctb Journal of Combinatorial Theory, Series B
jat Journal of Approximation Theory|jde Journal of Differential Equations
disc Discrete Mathematics|dam Discrete Applied Mathematics|jnt Journal of Number Theory
aam Advances in Applied Mathematics|ffa Finite Fields and Their Applications
apal Annals of Pure and Applied Logic|difgeo Differential Geometry and its Applications
agt Algebraic & Geometric Topology|gt Geometry & Topology|pjm Pacific Journal of Mathematics
ant Algebra & Number Theory|apde Analysis & PDE|involve Involve
s00220 Communications in Mathematical Physics|s00209 Mathematische Zeitschrift
s00222 Inventiones mathematicae|s00208 Mathematische Annalen|s00013 Archiv der Mathematik
s10711 Geometriae Dedicata|s11856 Israel Journal of Mathematics
s00454 Discrete & Computational Geometry|s00039 Geometric and Functional Analysis
SIGMA Symmetry, Integrability and Geometry: Methods and Applications
jlms Journal of the London Mathematical Society|blms Bulletin of the London Mathematical Society
plms Proceedings of the London Mathematical Society|jtopol Journal of Topology
imrn International Mathematics Research Notices

statistics
AOP The Annals of Probability|AOS The Annals of Statistics|AAP The Annals of Applied Probability
AOAS The Annals of Applied Statistics|EJP Electronic Journal of Probability
EJS Electronic Journal of Statistics|STS Statistical Science|BA Bayesian Analysis
AIHP Annales de l'Institut Henri Poincaré, Probabilités et Statistiques
csda Computational Statistics & Data Analysis|jmva Journal of Multivariate Analysis
spa Stochastic Processes and their Applications|spl Statistics & Probability Letters
jspi Journal of Statistical Planning and Inference|s11222 Statistics and Computing
s11009 Methodology and Computing in Applied Probability

chemistry and materials
cplett Chemical Physics Letters|chemphys Chemical Physics
comptc Computational and Theoretical Chemistry|commatsci Computational Materials Science
jmmm Journal of Magnetism and Magnetic Materials|susc Surface Science
apsusc Applied Surface Science|carbon Carbon|scriptamat Scripta Materialia
jmps Journal of the Mechanics and Physics of Solids|s10910 Journal of Mathematical Chemistry
acs.jctc Journal of Chemical Theory and Computation
acs.jpclett The Journal of Physical Chemistry Letters|acs.nanolett Nano Letters
acs.jpca The Journal of Physical Chemistry A|acs.jpcb The Journal of Physical Chemistry B
acs.jpcc The Journal of Physical Chemistry C|acs.langmuir Langmuir
acs.chemmater Chemistry of Materials|acs.jcim Journal of Chemical Information and Modeling
acs.macromol Macromolecules|CP Physical Chemistry Chemical Physics|SM Soft Matter|NR Nanoscale
FD Faraday Discussions|RA RSC Advances|TA Journal of Materials Chemistry A
TC Journal of Materials Chemistry C|DT Dalton Transactions|SC Chemical Science

astronomy
icarus Icarus|pss Planetary and Space Science|astropartphys Astroparticle Physics
ascom Astronomy and Computing|asr Advances in Space Research|actaastro Acta Astronautica
s10509 Astrophysics and Space Science|s11207 Solar Physics|s11214 Space Science Reviews
s10569 Celestial Mechanics and Dynamical Astronomy|s10714 General Relativity and Gravitation
mnras Monthly Notices of the Royal Astronomical Society|aanda Astronomy & Astrophysics

earth and environment
JA Journal of Geophysical Research: Space Physics|GL Geophysical Research Letters
JB Journal of Geophysical Research: Solid Earth|JC Journal of Geophysical Research: Oceans
JD Journal of Geophysical Research: Atmospheres|JE Journal of Geophysical Research: Planets
JF Journal of Geophysical Research: Earth Surface|SW Space Weather|RS Radio Science
WR Water Resources Research|angeo Annales Geophysicae|npg Nonlinear Processes in Geophysics
acp Atmospheric Chemistry and Physics|gmd Geoscientific Model Development|tc The Cryosphere
hess Hydrology and Earth System Sciences|os Ocean Science|esd Earth System Dynamics
amt Atmospheric Measurement Techniques|JCLI Journal of Climate
nhess Natural Hazards and Earth System Sciences
JAS Journal of the Atmospheric Sciences|MWR Monthly Weather Review
JPO Journal of Physical Oceanography|JTECH Journal of Atmospheric and Oceanic Technology
swsc Journal of Space Weather and Space Climate|s00382 Climate Dynamics|s10584 Climatic Change
s00024 Pure and Applied Geophysics|s10950 Journal of Seismology|ocemod Ocean Modelling
epsl Earth and Planetary Science Letters|tecto Tectonophysics|jhydrol Journal of Hydrology
jastp Journal of Atmospheric and Solar-Terrestrial Physics|gca Geochimica et Cosmochimica Acta
jvolgeores Journal of Volcanology and Geothermal Research
advwatres Advances in Water Resources|rse Remote Sensing of Environment
atmosenv Atmospheric Environment|apenergy Applied Energy
enconman Energy Conversion and Management|renene Renewable Energy|cageo Computers & Geosciences

biology
bpj Biophysical Journal|jtbi Journal of Theoretical Biology
tpb Theoretical Population Biology|mbs Mathematical Biosciences|ecolmodel Ecological Modelling
ecocom Ecological Complexity|biosystems Biosystems|neuroimage NeuroImage
jneumeth Journal of Neuroscience Methods|s00285 Journal of Mathematical Biology
s11538 Bulletin of Mathematical Biology|s10827 Journal of Computational Neuroscience
s10867 Journal of Biological Physics|rsif Journal of the Royal Society Interface
rspb Proceedings of the Royal Society B|fncom Frontiers in Computational Neuroscience
fnins Frontiers in Neuroscience|fninf Frontiers in Neuroinformatics
bioinformatics Bioinformatics|jprot Journal of Proteomics

economics and social science
jeconom Journal of Econometrics|geb Games and Economic Behavior|jet Journal of Economic Theory
jmateco Journal of Mathematical Economics|jedc Journal of Economic Dynamics and Control
jebo Journal of Economic Behavior & Organization|econlet Economics Letters
jbankfin Journal of Banking & Finance|socnet Social Networks|joi Journal of Informetrics
ejor European Journal of Operational Research|trb Transportation Research Part B
s11192 Scientometrics|s11238 Theory and Decision|s00182 International Journal of Game Theory
s11403 Journal of Economic Interaction and Coordination|s00780 Finance and Stochastics
s10614 Computational Economics|14697688 Quantitative Finance
S0219024 International Journal of Theoretical and Applied Finance
S0219525 Advances in Complex Systems

complex systems
physa Physica A: Statistical Mechanics and its Applications

engineering and communications
TSP IEEE Transactions on Signal Processing|TIT IEEE Transactions on Information Theory
TWC IEEE Transactions on Wireless Communications|TAC IEEE Transactions on Automatic Control
LSP IEEE Signal Processing Letters|TCOMM IEEE Transactions on Communications
TAP IEEE Transactions on Antennas and Propagation|LCOMM IEEE Communications Letters
JSTSP IEEE Journal of Selected Topics in Signal Processing
TNET IEEE/ACM Transactions on Networking|TSG IEEE Transactions on Smart Grid
TIFS IEEE Transactions on Information Forensics and Security
TCST IEEE Transactions on Control Systems Technology
TPWRS IEEE Transactions on Power Systems|TVT IEEE Transactions on Vehicular Technology
JSAC IEEE Journal on Selected Areas in Communications|automatica Automatica
TIP IEEE Transactions on Image Processing|MCOM IEEE Communications Magazine
TASLP IEEE/ACM Transactions on Audio, Speech, and Language Processing
JIOT IEEE Internet of Things Journal|sigpro Signal Processing|comcom Computer Communications
sysconle Systems & Control Letters|comnet Computer Networks|adhoc Ad Hoc Networks

theory of computing
tcs Theoretical Computer Science|jsc Journal of Symbolic Computation
ic Information and Computation|jcss Journal of Computer and System Sciences
comgeo Computational Geometry|ipl Information Processing Letters
LMCS Logical Methods in Computer Science|s00453 Algorithmica
s00224 Theory of Computing Systems|s10817 Journal of Automated Reasoning
jal Journal of Applied Logic|artint Artificial Intelligence
jlamp Journal of Logical and Algebraic Methods in Programming
s10623 Designs, Codes and Cryptography|s10107 Mathematical Programming
"""


def _known() -> dict[str, tuple[str, str]]:
    """Return field and name of every journal by the code that its DOIs have."""
    found: dict[str, tuple[str, str]] = {}
    for part in _JOURNALS.strip().split("\n\n"):
        field, *lines = part.split("\n")
        for journal in "|".join(lines).split("|"):
            code, _, name = journal.partition(" ")
            found[code] = (field, name)
    return found


_KNOWN = _known()
_OXFORD_YEARS = dict(zip("npqrstuvwxyz", range(2008, 2020), strict=True))
"""Oxford University Press numbers its years by letters."""


def _century(digits: str) -> int:
    return 2000 + int(digits)


_RULES: tuple[tuple[re.Pattern[str], Callable[[str], int]], ...] = tuple(
    (re.compile(f"10\\.{pattern}"), year)
    for pattern, year in (
        (r"1016/j\.(?P<code>[a-z]+)\.(?P<year>\d{4})\.", int),
        (r"1007/(?P<code>s\d{5})-0(?P<year>\d\d)-", _century),
        (r"1109/(?P<code>[A-Z]+)\.(?P<year>\d{4})\.", int),
        (r"1021/(?P<code>acs\.[a-z]+)\.(?P<year>[4-9])[a-z]\d", lambda digit: 2010 + int(digit)),
        (r"1039/[cC](?P<year>\d)(?P<code>[A-Z]{2})\d", lambda digit: 2010 + int(digit)),
        (r"(?:1029|1002)/(?P<year>20\d\d)(?P<code>[A-Z]{2})\d", int),
        (r"5194/(?P<code>[a-z]+)-\d+-\d+-(?P<year>\d{4})", int),
        (r"1175/(?P<code>[A-Z]+)-D-(?P<year>\d\d)-", _century),
        (r"2140/(?P<code>[a-z]+)\.(?P<year>\d{4})\.", int),
        (r"1214/(?P<year>\d\d)-(?P<code>[A-Z]+)\d", _century),
        (r"3842/(?P<code>SIGMA)\.(?P<year>\d{4})\.", int),
        (r"1112/(?P<code>[a-z]+)/[a-z]{2}(?P<year>[n-z])\d", _OXFORD_YEARS.__getitem__),
        (r"1093/(?P<code>mnras)/st(?P<year>[n-z])\d", _OXFORD_YEARS.__getitem__),
        (r"1093/(?P<code>imrn)/rn(?P<year>[n-z])\d", _OXFORD_YEARS.__getitem__),
        (r"1093/(?P<code>bioinformatics)/bt(?P<year>[n-z])\d", _OXFORD_YEARS.__getitem__),
        (r"1098/(?P<code>rsif|rspb)\.(?P<year>20\d\d)\.", int),
        (r"3389/(?P<code>f[a-z]+)\.(?P<year>20\d\d)\.", int),
        (r"1051/(?P<code>swsc)/(?P<year>20\d\d)", int),
        (r"1080/(?P<code>14697688)\.(?P<year>20\d\d)\.", int),
        (r"1142/(?P<code>S0219024|S0219525)(?P<year>[01]\d)\d", _century),
        (r"2168/(?P<code>LMCS)-\d+\([^)]*\)(?P<year>20\d\d)", int),
    )
)
_ASTRONOMY_AND_ASTROPHYSICS = re.compile(r"10\.1051/0004-6361/(20\d\d)\d{4,5}")
_PHYSICAL = re.compile(r"10\.1103/PhysRev(Lett|[A-EX])\.(\d+)\.\w+")


def article_of(doi: str) -> Article | None:
    """Return what the DOI says of its article; None: it is of no journal that is known here."""
    if found := _PHYSICAL.fullmatch(doi):
        letter, volume = found[1], int(found[2])
        name = "Physical Review " + {"Lett": "Letters"}.get(letter, letter)
        return Article("physics", name, _of_volume(letter, volume))
    if found := _ASTRONOMY_AND_ASTROPHYSICS.match(doi):
        return Article(*_KNOWN["aanda"], int(found[1]))
    for pattern, year in _RULES:
        found = pattern.match(doi)
        if found and found["code"] in _KNOWN:
            try:
                return Article(*_KNOWN[found["code"]], year(found["year"]))
            except KeyError:
                return None
    return None


def _of_volume(journal: str, volume: int) -> int:
    if journal == "X":
        return 2010 + volume
    return 1958 + volume // 2 if journal == "Lett" else 1970 + (volume - 1) // 2
