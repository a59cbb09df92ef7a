"""The formats of a finished report."""
