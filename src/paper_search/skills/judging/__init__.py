"""How a model judges papers: criteria, grades with evidence, batches, and what is kept."""
