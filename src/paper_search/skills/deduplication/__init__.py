"""De-duplication: finds records of the same work, with evidence, and merges them."""
