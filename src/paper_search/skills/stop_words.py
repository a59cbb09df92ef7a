"""Stop words, by language and kind."""

from __future__ import annotations

from paper_search.skills.words import terms_in, words_in

_FUNCTION = words_in(
    """
    a an the this that these those its their our your my his her it they we you i me us them
    he she and or nor but so yet if then than as at by for from in into of on onto to toward
    towards upon with within without about between among amongst across through throughout
    during via per versus vs against around along beyond besides is are was were be been
    being am do does did done doing has have had having can could may might must shall
    should will would not no any some each every all both either neither such other others
    another what which who whom whose when where why how whether there here also only just
    very more most less least much many few several etc e.g i.e using used based applied
    applying including include includes like because while until since after before affect
    affects affecting improve improves improving reduce reduces reducing increase increases
    increasing predicts causes influences enables enhance enhances enhancing prevent
    prevents
    """
)

_COMMANDS = words_in(
    """
    find show give get list retrieve fetch gather want please interested papers paper
    articles article publications publication studies literature preprints manuscripts
    journal-articles conference-papers peer-reviewed recent recently latest newest new
    published concerning regarding relating related dealing discussing investigating
    examining exploring available relevant seminal important scholarly scientific academic
    """
)

_GENERIC = words_in(
    """
    effect effects impact impacts influence role roles application applications approach
    approaches method methods methodology methodologies technique techniques advance
    advances progress trends challenges issues problem problems improvement improvements
    improved understanding perspectives overview introduction solutions ways examples topic
    topics different various novel comparison association associations relationship
    relationships correlation
    """
)

_ALONE = words_in(
    """
    use uses usage work works research study search result results reference references case
    cases field fields area areas aspect aspects development developments evaluation
    analysis question questions people thing things subject subjects state art key current
    modern best good top
    """
)

COMMANDS = frozenset(_COMMANDS)
"""Words of the request itself."""

BREAKS = frozenset(_FUNCTION) | COMMANDS
"""Words at which one English key phrase ends and the next begins."""

GENERIC = frozenset([*_GENERIC, *_ALONE])
"""Words that are no subject when they stand alone."""

STOP_WORDS = BREAKS | GENERIC
"""All that is no theme of a title."""

FIXED_TERMS = tuple(
    terms_in(
        """quality of life|internet of things|bag of words|mechanism of action|end of life
    |state of charge|state of health|word of mouth|in vitro|in vivo|in situ|in silico|ex vivo
    |out of distribution|out-of-distribution|point of care|length of stay|standard of care
    |proof of concept|mixture of experts|chain of thought|theory of mind|density of states
    |freedom of speech|rule of law|sense of belonging|range of motion|activities of daily living
    |time of flight|angle of attack|degrees of freedom|cost of living|law of large numbers
    |work of breathing|intention to treat|cradle to cradle|peer to peer|face to face|text to speech
    |text to image|speech to text|sequence to sequence|end to end|in context learning
    |work from home|burden of disease|source of income|area of interest|region of interest
    |substance use|drug use|alcohol use|tobacco use|land use|energy use|internet use|antibiotic use
    |locus of control|centre of mass|center of mass|method of moments|web of science"""
    )
)
"""Terms that hold together although a function word stands in them."""
