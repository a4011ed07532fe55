"""How far a corpus is: what whoever makes one may be told."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable


class StageEvent(NamedTuple):
    """How far a stage is.

    Attributes
    ----------
    stage : str
        "reading", "choosing words" or "writing".
    n_docs : int
        Documents done in this stage.
    n_bytes : int
        Bytes of text read, decompressed.
    share : float or None
        Share of the stage that is done, if that is known: of bytes on disk, of files or of documents.
    """

    stage: str
    n_docs: int
    n_bytes: int = 0
    share: float | None = None


@runtime_checkable
class Stages(Protocol):
    """Wants to be told of all stages."""

    def on_stage(self, event: StageEvent) -> None:
        """Take note of how far a stage is."""
