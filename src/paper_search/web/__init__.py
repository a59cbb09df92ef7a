"""The page: searches in a browser, on the threads that the other entry points use."""
