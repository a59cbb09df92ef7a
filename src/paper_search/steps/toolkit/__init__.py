"""What only workflows of others use: questions, gates, discovery, inputs, pictures."""
