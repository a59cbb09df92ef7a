"""What a model was used for so far, counted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Usage:
    """Running totals of one provider."""

    calls: int = 0
    """Questions asked; the client's own retries are not counted."""
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, input_tokens: int, output_tokens: int) -> None:
        """Add the tokens of one answer."""
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
