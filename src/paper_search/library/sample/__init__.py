"""The sample that ships: real bibliographic records of several fields, facts only."""
