"""The page: a person's searches in a browser, on the threads that all other doors use."""
