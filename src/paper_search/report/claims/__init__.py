"""Checks of a draft's sentences against their sources by code."""
