"""Questions of yes or no with sentences whose words point the wrong way, and which way they go."""

from typing import NamedTuple

from paper_search.report.models import Direction


class HardPair(NamedTuple):
    """A question, a sentence of a source on it, and what a careful reader takes from it."""

    question: str
    sentence: str
    says: Direction


SAFE, HELP = "Is zolapine safe in pregnancy?", "Does lorvane improve sleep in adults?"
CAUSE, LOWER = "Does vaping cause asthma in teenagers?", "Do green roofs lower indoor heat?"

HARD_PAIRS = [
    HardPair(SAFE, "Zolapine is dangerous for the fetus and should be avoided.", "no"),
    HardPair(SAFE, "Birth defects were observed after exposure to zolapine in pregnancy.", "no"),
    HardPair(SAFE, "Zolapine was found to be unsafe in women who were pregnant.", "no"),
    HardPair(SAFE, "Cleft palate was associated with zolapine in the first trimester.", "no"),
    HardPair(SAFE, "Zolapine achieved significant reductions in birth weight in pregnancy.", "no"),
    HardPair(SAFE, "No increase in malformations was seen with zolapine in pregnancy.", "yes"),
    HardPair(SAFE, "Zolapine in pregnancy did not raise the rate of miscarriage.", "yes"),
    HardPair(SAFE, "We hypothesised that zolapine is safe in pregnancy.", "not stated"),
    HardPair(SAFE, "Zolapine is widely believed to be safe in pregnancy.", "not stated"),
    HardPair(SAFE, "Whether zolapine is safe in pregnancy is unknown.", "not stated"),
    HardPair(SAFE, "Reports that zolapine was safe in pregnancy were retracted.", "not stated"),
    HardPair(HELP, "Sleep in adults was worsened by lorvane.", "no"),
    HardPair(HELP, "Lorvane was as good as placebo for the sleep of adults.", "no"),
    HardPair(HELP, "Placebo improved sleep in adults just as much as lorvane.", "no"),
    HardPair(HELP, "Adults on lorvane improved no more in sleep than untreated ones.", "no"),
    HardPair(HELP, "Lorvane failed to improve sleep in adults.", "no"),
    HardPair(HELP, "An improvement of sleep in adults by lorvane could not be shown.", "no"),
    HardPair(HELP, "Fewer adults lay awake with lorvane than with placebo.", "yes"),
    HardPair(HELP, "Not a single adult on lorvane slept worse, and 80 % slept longer.", "yes"),
    HardPair(HELP, "The aim was to test whether lorvane improves sleep in adults.", "not stated"),
    HardPair(HELP, "Lorvane could improve sleep in adults if taken early.", "not stated"),
    HardPair(HELP, "Drugs such as lorvane are given to improve sleep in adults.", "not stated"),
    HardPair(HELP, "Lorvane improved the sleep of women and worsened that of men.", "mixed"),
    HardPair(CAUSE, "Asthma in teenagers was not less frequent without vaping.", "no"),
    HardPair(CAUSE, "The link of vaping and asthma in teenagers vanished after adjustment.", "no"),
    HardPair(CAUSE, "Vaping tripled the incidence of asthma in teenagers.", "yes"),
    HardPair(CAUSE, "It is often claimed that vaping causes asthma in teenagers.", "not stated"),
    HardPair(LOWER, "Indoor heat under green roofs was no lower than under gravel.", "no"),
    HardPair(LOWER, "Rooms under green roofs stayed two degrees cooler in a heat wave.", "yes"),
    HardPair(LOWER, "Lower indoor heat is why green roofs are planned.", "not stated"),
]
