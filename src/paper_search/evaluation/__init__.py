"""Measures searching and judging on labelled papers, with models and without."""
