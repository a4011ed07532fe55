"""Steps that all ranks take: if one of them fails, all do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from topicgrove.distributed.communicator import Communicator

T = TypeVar("T")

EXPECTED = (ImportError, OSError, TypeError, ValueError)
"""Errors of input and machine. Others are bugs, or signals that reach every rank."""

_OF_FILES, _OF_INPUT = b"f", b"i"


def together(comm: Communicator, step: Callable[[], T]) -> T:
    """Do something on every rank; if that fails anywhere, every rank raises an error that says what the first did.

    >>> together(Communicator(), lambda: 1 + 1)
    2
    """
    if comm.size == 1:
        return step()
    error: Exception | None = None
    try:
        result = step()
    except EXPECTED as raised:
        error = raised
    told = b"" if error is None else (_OF_FILES if isinstance(error, OSError) else _OF_INPUT) + str(error).encode()
    messages = comm.gather(np.frombuffer(told, np.uint8))
    first = comm.broadcast(next((message.tobytes() for message in messages if len(message)), b""))
    if first and first == told and error is not None:
        raise error
    if first:
        raise (OSError if first[:1] == _OF_FILES else ValueError)(first[1:].decode())
    return result
