"""`python -m paper_search`: the command line."""

from paper_search.cli import main

if __name__ == "__main__":
    main()
