"""Sources on one drug, what is false about them in every form, and sentences of a report."""

from typing import NamedTuple

from paper_search.models import Author, Paper
from paper_search.report.evidence import Evidence, result_of

QUESTION = "Does sumatriptan relieve migraine?"
_TOLD = (
    (
        "Oral sumatriptan for acute migraine headache",
        "Derry, Christopher",
        2012,
        (
            "We reviewed 61 trials of sumatriptan with 37,250 participants. Sumatriptan 100 "
            "mg relieved headache within two hours in 61% of adults, compared with 32% on "
            "placebo (p < 0.001). Adverse events were more frequent with sumatriptan than "
            "with placebo. Sumatriptan did not prevent recurrence of headache within 24 "
            "hours. Most adverse events were mild."
        ),
    ),
    (
        "Sumatriptan nasal spray in adolescents",
        "Winner, Paul",
        2000,
        (
            "In a trial of 510 adolescents, sumatriptan nasal spray 20 mg relieved headache "
            "in 63% of patients after two hours, against 53% on placebo (p = 0.06). One third "
            "of the patients reported a disturbance of taste. No serious adverse events "
            "occurred."
        ),
    ),
    (
        "The cost of migraine",
        "Lipton, Richard",
        2003,
        (
            "Migraine costs employers 13 billion dollars a year in the United States. Costs "
            "rose from 1990 to 2000. Lost days of work decreased in patients who took a "
            "triptan."
        ),
    ),
    (
        "A withdrawn trial of sumatriptan",
        "Fraud, Felix",
        2008,
        "Sumatriptan relieved headache in 98% of adults.",
    ),
)
SOURCES = [
    result_of(
        Paper(
            id=f"paper-{number}",
            title=title,
            authors=[Author(name=author)],
            abstract=abstract,
            year=year,
            venue="Headache",
            source="fake",
            relevance_score=0.9,
            is_retracted=True if author.startswith("Fraud") else None,
        ),
        "q1",
    )
    for number, (title, author, year, abstract) in enumerate(_TOLD, 1)
]
ORAL, SPRAY, COST, GONE = (f"[@{key}]" for key in Evidence(SOURCES).by_key)


TWO = f"{ORAL[:-1]}; {SPRAY[1:]}"


class Form(NamedTuple):
    """One form of false statement."""

    kind: str
    text: str
    place: str = "section"
    """section, methods, heading (of a section), title, abstract or conclusion."""


WRONG = tuple(
    Form(*form)
    for form in (
        ("number in words", f"Sumatriptan relieved headache in ninety-nine percent {ORAL}."),
        ("fake quotation", f"Derry writes ‘sumatriptan is the best drug there is’ {ORAL}."),
        ("digits", f"Sumatriptan relieved headache in 71% of adults {ORAL}."),
        ("another source's number", f"Sumatriptan relieved headache in 63% of adults {ORAL}."),
        ("decimals", f"Sumatriptan relieved headache in 6.1% of adults {ORAL}."),
        ("fraction", f"Sumatriptan relieved headache in three quarters of adults {ORAL}."),
        ("p-value", f"Sumatriptan relieved headache in adolescents (p < 0.05) {SPRAY}."),
        ("p-value", f"Sumatriptan relieved headache in adolescents (p < 0.06) {SPRAY}."),
        ("p-value", f"Sumatriptan relieved headache in adults (p = .0001) {ORAL}."),
        ("multiple", f"Sumatriptan tripled relief of headache in adults {ORAL}."),
        ("multiple", f"Relief of headache was tenfold with sumatriptan in adults {ORAL}."),
        ("multiple", f"Relief was four times as frequent with sumatriptan in adults {ORAL}."),
        ("unit", f"Sumatriptan 61 mg relieved headache within two hours {ORAL}."),
        ("unit", f"Sumatriptan relieved headache within 24 days {ORAL}."),
        ("scale", f"Migraine costs employers 13 million dollars a year {COST}."),
        ("number word", f"Sumatriptan relieved headache within nine hours in adults {ORAL}."),
        ("marks", f"Derry writes “sumatriptan is the best drug there is” {ORAL}."),
        ("marks", f'Derry writes "sumatriptan is the best drug there is" {ORAL}.'),
        ("marks", f"Derry writes 'sumatriptan is the best drug there is' {ORAL}."),
        ("marks", f"Derry writes «sumatriptan is the best drug there is» {ORAL}."),
        ("marks", f"Derry writes „sumatriptan is the best drug there is“ {ORAL}."),
        ("marks", f"Derry writes ‹sumatriptan is the best drug there is› {ORAL}."),
        ("marks", f"Derry writes 「sumatriptan is the best drug there is」 {ORAL}."),
        ("marks", f"Derry writes ``sumatriptan is the best drug there is'' {ORAL}."),
        ("block quotation", f"> Sumatriptan relieved every headache of adults {ORAL}"),
        ("short quotation", f"Derry calls relief of headache by sumatriptan a “cure” {ORAL}."),
        ("another source's words", f"Derry writes “No serious adverse events occurred” {ORAL}."),
        ("another order", f"Derry calls it “migraine mild acute” {ORAL}."),
        ("words from afar", f"Derry calls them “mild trials” {ORAL}."),
        ("part of a word", f"Derry found “ace” in sumatriptan trials {ORAL}."),
        ("another author", f"Winner writes “Most adverse events were mild” {ORAL}."),
        ("retracted", f"Fraud writes “Sumatriptan relieved headache in 98% of adults” {GONE}."),
        ("person", f"Professor John Smith relieved headache with sumatriptan {ORAL}."),
        ("another source's author", f"Winner reviewed trials of sumatriptan in adults {ORAL}."),
        ("year", f"In 2019, Derry reviewed trials of sumatriptan {ORAL}."),
        ("year", f"Costs of migraine rose from 1980 to 2000 {COST}."),
        ("year", f"Costs of migraine rose for three decades {COST}."),
        ("table", f"| Drug | Relief |\n|---|---|\n| sumatriptan | 99% {ORAL} |"),
        ("invented key", "Sumatriptan relieved headache [@nobody_1999_nothing]."),
        ("invented citation", f"Sumatriptan relieved headache (Nobody, 1999) {ORAL}."),
        ("invented address", f"See https://nobody.example/x on headache {ORAL}."),
        ("invented number", f"Sumatriptan relieved headache [7] {ORAL}."),
        ("retracted", f"Sumatriptan relieved headache in 98% of adults {GONE}."),
    )
)
"""What by its form has to be in the cited source and is not there."""
UNVERIFIABLE = tuple(
    Form(*form)
    for form in (
        ("absent words", f"Sumatriptan cures depression {ORAL}."),
        ("review", f"A Cochrane review confirms that sumatriptan relieved headache {ORAL}."),
        ("initials", f"According to the WHO, sumatriptan relieved headache in adults {ORAL}."),
        ("frame opener", "In summary, sumatriptan is lethal and must be banned."),
        ("fraction", f"Half of the adults on placebo had relief of headache {ORAL}."),
        ("share", f"Sumatriptan relieved headache in nine out of ten adults {ORAL}."),
        ("multiple", f"Adverse events doubled in adolescents on sumatriptan {SPRAY}."),
        ("unit", f"Sumatriptan relieved headache in 61 adults {ORAL}."),
        ("vague number", f"Thousands of adults reported adverse events of sumatriptan {ORAL}."),
        ("percent without a number", f"All adults had relief of headache {ORAL}."),
        ("count of the report", "This report draws on 5,000 sources."),
        ("ellipsis", f"Derry writes “Sumatriptan did … prevent recurrence of headache” {ORAL}."),
        ("ellipsis", f"Derry writes “61 trials of sumatriptan ... were mild” {ORAL}."),
        ("ellipsis", f"Lipton writes “Migraine costs employers … from 1990 to 2000” {COST}."),
        ("ellipsis", f"Derry writes “Sumatriptan [...] prevent recurrence of headache” {ORAL}."),
        ("cut", f"Sumatriptan can “prevent recurrence of headache within 24 hours” {ORAL}."),
        ("wrapped", f"It is a lie that “Most adverse events were mild” {ORAL}."),
        ("denied", f"Derry does not write “Most adverse events were mild” {ORAL}."),
        ("denied", f"No source says “Most adverse events were mild” {ORAL}."),
        ("beside", f"Sumatriptan relieves migraine: “Most adverse events were mild” {ORAL}."),
        ("beside", f"Placebo relieved headache and “Most adverse events were mild” {ORAL}."),
        ("cut", f"Derry writes “prevent recurrence of headache within 24 hours” {ORAL}."),
        ("not by both", f"Derry and Winner write “Most adverse events were mild” {TWO}."),
        ("another source", f"Most adverse events were mild {SPRAY}."),
        ("without not", f"Sumatriptan did prevent recurrence of headache within 24 hours {ORAL}."),
        ("person", f"Einstein showed that sumatriptan relieved headache {ORAL}."),
        ("person", f"Sumatriptan relieved headache, as Marie Curie found {ORAL}."),
        ("organisation", f"The World Health Organization reviewed trials of sumatriptan {ORAL}."),
        ("organisation", f"The FDA reported adverse events of sumatriptan {ORAL}."),
        ("organisation", f"NICE recommends sumatriptan for headache {ORAL}."),
        ("place", f"Sumatriptan relieved headache in adults in Norway {ORAL}."),
        ("review", f"A meta-analysis showed that sumatriptan relieved headache in adults {ORAL}."),
        ("review", f"Systematic reviews found that sumatriptan relieved headache {SPRAY}."),
        ("kind of study", f"In a randomised trial, sumatriptan relieved headache {SPRAY}."),
        ("kind of study", f"Guidelines found that sumatriptan relieved headache in adults {ORAL}."),
        ("kind of study", f"Relief was statistically significant in adolescents {SPRAY}."),
        ("negation", f"Sumatriptan did not relieve headache in adults {ORAL}."),
        ("negation", f"Sumatriptan did prevent recurrence of headache within 24 hours {ORAL}."),
        ("negation", f"Serious adverse events occurred {SPRAY}."),
        ("direction", f"Costs fell from 1990 to 2000 in the United States {COST}."),
        ("direction", f"Lost days of work increased in patients who took a triptan {COST}."),
        ("population", f"Sumatriptan relieved headache in teenagers {ORAL}."),
        ("population", f"Sumatriptan relieved headache in pregnant women {ORAL}."),
        ("population", f"Sumatriptan relieved headache in mice {ORAL}."),
        ("certainty", f"Sumatriptan always relieved headache in adults {ORAL}."),
        ("certainty", f"Trials proved that sumatriptan relieved headache {ORAL}."),
        ("swapped words", f"Sumatriptan relieved headache in 32% of adults {ORAL}."),
        ("swapped words", f"Placebo relieved headache more than sumatriptan {ORAL}."),
        ("another drug", f"Rizatriptan relieved headache in adults {ORAL}."),
        ("cause", f"Sumatriptan causes stroke and heart attack in adults {ORAL}."),
        ("uncited", "Sumatriptan relieved headache in adults."),
        ("uncited", "Sumatriptan kills."),
        ("uncited", "Did you know that sumatriptan is lethal?"),
        ("uncited", "Sumatriptan is lethal in these cases:"),
        ("cited in the next sentence", f"Sumatriptan is lethal. It relieved headache {ORAL}."),
        ("list item", "- Sumatriptan is lethal"),
        ("list item", "1. Sumatriptan kills adults"),
        ("list item", f"- Sumatriptan is lethal in adults and in adolescents {ORAL}"),
        ("heading", "### Sumatriptan cures depression"),
        ("heading", "**Sumatriptan is lethal**"),
        ("table", "| Drug | Relief |\n|---|---|\n| sumatriptan | 99% |"),
        ("table", "| Sumatriptan kills | Relief |\n|---|---|"),
        ("heading", "Sumatriptan cures depression", "heading"),
        ("title", "Sumatriptan cures depression", "title"),
        ("abstract", "Sumatriptan is lethal.", "abstract"),
        ("conclusion", "Sumatriptan must be banned.", "conclusion"),
        ("methods", "Sumatriptan is lethal.", "methods"),
        ("methods", "Four librarians screened 4,000 records in Embase.", "methods"),
        ("methods", "This report was reviewed by the World Health Organization.", "methods"),
        ("frame opener", "This report finds that sumatriptan is lethal."),
        ("frame opener", "This report finds that sumatriptan prevents migraine."),
        ("frame opener", "This section shows that sumatriptan relieves every migraine."),
        ("frame opener", "The sources leave no doubt that sumatriptan is lethal."),
        ("frame opener", "No source doubts that sumatriptan is lethal."),
        ("frame opener", "None of the sources denies that sumatriptan kills."),
        ("frame opener", "Overall, sumatriptan is useless."),
        ("frame opener", "Question: sumatriptan is lethal."),
        ("frame opener", "It leaves patients dead."),
        ("frame opener", "We collected proof of deaths."),
        ("frame opener", "The evidence above proves that sumatriptan is lethal."),
        ("frame opener", "Confidence in the lethality of sumatriptan is high."),
    )
)
"""What only a reader can tell: code must not say of it that it is checked."""

FRAMES = (
    "This report asks whether sumatriptan relieves migraine.",
    "This section compares the trials of sumatriptan in adolescents.",
    "No source answers this question.",
    "This report is based on four sources.",
    "The search was small and cannot say what other studies found.",
    "The following sources are on adverse events:",
    "### Adverse events of sumatriptan",
)
