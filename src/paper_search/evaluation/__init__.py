"""Measure search and judging on labelled papers, with and without models."""
