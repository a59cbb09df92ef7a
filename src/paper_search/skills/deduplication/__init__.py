"""De-duplication: which records are one work, why, how surely, and what the merged record says."""
