"""Searches of the web and of the news: for reports, which cite pages as well as papers."""
