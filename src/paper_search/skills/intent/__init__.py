"""How a question becomes an intent without a model: limits, exclusions, authors, concepts."""
