"""One small HTTP client that all adapters share."""
