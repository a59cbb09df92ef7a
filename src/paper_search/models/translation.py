"""What a source is sent for a query of a strategy."""

from pydantic import BaseModel, Field


class Translation(BaseModel):
    """One query of a strategy in the words of one source, before it is asked."""

    source: str
    query: str
    """As the strategy has it: a boolean query, the text of a ranked one, or an identifier. Empty:
    what is said holds for every query."""
    is_ranked: bool = False
    texts: list[str] = Field(default_factory=list)
    """The exact strings. Of several, the next one is sent if those before it find nothing."""
    requests: list[str] = Field(default_factory=list)
    """The request for the first page of each text, without key and contact address; empty: none
    is sent, since the records are on this machine."""
    notes: list[str] = Field(default_factory=list)
    """What the source cannot say of the query, and what happens instead."""
    error: str | None = None
    """Why nothing is sent; None: something is."""
