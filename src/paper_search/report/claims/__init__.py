"""What code can say of each sentence of a draft: that it stands, that it is wrong, or neither."""
