"""Web and news searches, for reports."""
