"""Following citations: what works that were marked relevant cite, and what cites them."""
