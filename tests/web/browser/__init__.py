"""A package, so that all its tests share one server and one browser."""
