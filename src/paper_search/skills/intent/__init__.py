"""Turns a question into an intent without a model.

`reader` goes through a text once: years, names, clauses, exclusions. Each finds its forms (`forms`)
and cuts them out; the rest is ranked by and gives `concepts`. `document` takes a request of several
lines apart before; `boolean_question` reads queries, and `notes` what a person says of a strategy.
"""
