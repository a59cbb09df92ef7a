"""The server's side: who may come in, what a request may say, and which threads it shows."""
