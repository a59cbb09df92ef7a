"""Fakes, and the test kits of what others may write: shipped for their tests as for ours."""
