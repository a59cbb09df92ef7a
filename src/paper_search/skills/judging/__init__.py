"""How a model judges papers: criteria, grades with evidence, and their cache."""
