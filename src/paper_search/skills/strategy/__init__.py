"""How an intent becomes a search strategy: ranked and boolean queries, their terms, feedback."""
