"""Parse and normalise bibliographic text, names and identifiers."""
