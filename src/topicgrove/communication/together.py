"""Failure of a rank: all ranks raise the same error, or the job ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from topicgrove.communication.communicator import Communicator, PeerLostError

T = TypeVar("T")
E = TypeVar("E", bound=Exception)

EXPECTED = (ImportError, OSError, TypeError, ValueError)
"""Errors of input and machine; others are bugs, or signals that reach every rank."""

_OF_FILES, _OF_INPUT = "f", "i"


def together(comm: Communicator, step: Callable[[], T]) -> T:
    """Run a step on every rank; if it fails anywhere, raise the first rank's error on every rank.

    >>> together(Communicator(), lambda: 1 + 1)
    2
    """
    if comm.size == 1:
        return step()
    import numpy as np

    error: Exception | None = None
    with ending_all(comm):
        try:
            result = step()
        except PeerLostError:
            raise
        except EXPECTED as raised:
            error = raised
    told = "" if error is None else (_OF_FILES if isinstance(error, OSError) else _OF_INPUT) + _text(error)
    messages = [part.tobytes() for part in comm.gather(np.frombuffer(f"{comm.host}\0{told}".encode(), np.uint8))]
    failed = ((rank, *message.decode().split("\0", 1)) for rank, message in enumerate(messages))
    first = next((f"{rank}\0{host}\0{text}" for rank, host, text in failed if text), "")
    first = comm.broadcast(first.encode()).decode()
    if not first:
        return result
    rank, host, text = first.split("\0", 2)
    if error is not None and text == told:
        raise agreed(error)
    raise agreed((OSError if text[:1] == _OF_FILES else ValueError)(f"rank {rank} on {host}: {text[1:]}"))


def agreed(error: E) -> E:
    """Mark an error as raised by all ranks, so that none waits for another.

    >>> is_agreed(agreed(ValueError())), is_agreed(ValueError())
    (True, False)
    """
    error.__dict__["is_agreed"] = True
    return error


def is_agreed(error: BaseException) -> bool:
    """Return whether all ranks raise this error, including signals: ranks agree on the sweep to stop after."""
    return isinstance(error, KeyboardInterrupt) or "is_agreed" in error.__dict__


@contextmanager
def ending_all(comm: Communicator, where: Callable[[], str] = str) -> Iterator[None]:
    """End the job on an error that only this rank raises, as the others would wait; add ``where`` to it."""
    try:
        yield
    except BaseException as error:
        if comm.size > 1 and not is_agreed(error):
            if note := where():
                error.add_note(note)
            comm.abort(error)
        raise


def _text(error: Exception) -> str:
    named = isinstance(error, OSError) and error.filename is not None
    return f"{error.filename}: {error.strerror}" if named else str(error)  # type: ignore[attr-defined]
