"""Tools for workflows of others: questions, gates, discovery, inputs, pictures."""
