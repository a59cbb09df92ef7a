"""Turns a question into an intent without a model.

`reader` finds the `forms` of years, names, clauses and exclusions in a text and cuts them out; the
rest is used for ranking and gives the `concepts`. `document` first splits a request of several
lines, `boolean_question` reads queries, and `notes` a person's feedback on a strategy.
"""
