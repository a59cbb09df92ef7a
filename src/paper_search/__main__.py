"""`python -m paper_search`: the command line."""

from __future__ import annotations

from paper_search.cli import main

if __name__ == "__main__":
    main()
