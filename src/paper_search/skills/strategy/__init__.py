"""Turns an intent into a search strategy: ranked and boolean queries, terms, feedback."""
