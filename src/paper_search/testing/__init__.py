"""Fakes and contract tests, for our tests and for those of extensions."""
