"""Progress of making a corpus."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable


class StageEvent(NamedTuple):
    """The progress of a stage.

    Attributes
    ----------
    stage : str
        "reading", "choosing words" or "writing".
    n_docs : int
        Documents done in this stage.
    n_bytes : int
        Bytes of text read, decompressed.
    share : float or None
        Share of the stage that is done, if known: of bytes on disk, of files or of documents.
    """

    stage: str
    n_docs: int
    n_bytes: int = 0
    share: float | None = None


@runtime_checkable
class Stages(Protocol):
    """A listener to all stages."""

    def on_stage(self, event: StageEvent) -> None:
        """Handle the progress of a stage."""
