"""Turns a question into an intent without a model.

`reader` makes one pass over a text for years, names, clauses and exclusions. Each step finds its
forms (`forms`) and cuts them out; the rest is used for ranking and gives the `concepts`. `document`
first splits a request of several lines, `boolean_question` reads queries, and `notes` reads a
person's feedback on a strategy.
"""
