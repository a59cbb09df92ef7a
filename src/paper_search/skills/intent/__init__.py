"""Turns a question into an intent without a model: limits, exclusions, authors, concepts."""
