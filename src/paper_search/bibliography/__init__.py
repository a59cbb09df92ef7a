"""Bibliographic text and identifiers: read, normalised, made comparable."""
