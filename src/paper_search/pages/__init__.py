"""Web pages and papers: fetched from public IP addresses only, and reduced to their text."""
