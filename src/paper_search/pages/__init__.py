"""Fetch web pages and papers, only from public IP addresses, and extract their text."""
