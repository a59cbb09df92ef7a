"""Follows citations: what relevant works cite, and what cites them."""
