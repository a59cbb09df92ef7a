"""The packaged sample: real bibliographic records of several fields, facts only."""
