"""Pages and papers on the web: fetched from public addresses only, and reduced to their text."""
