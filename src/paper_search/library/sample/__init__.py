"""The packaged sample: bibliographic records of real works from several fields."""
