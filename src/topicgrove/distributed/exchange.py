"""A thread that exchanges changes while documents are drawn.

There are three buffers. Changes gather in *to send*. A round moves all of them to *sending*, packs them, and gathers
what every rank sends. The result is *received* until the sweep takes it. A rank with nothing to send takes part all the
same, so a slow one holds nobody up. A sweep's last round is the first in which every rank has said that it is done.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.communication.traffic import Traffic

PERIOD = 0.005
"""Seconds from the start of one round to the start of the next, while documents are drawn."""

SHARE = 0.02
"""Share of a core's time that rounds may take from the documents; expensive rounds run less often."""


class Posted(Protocol):
    """Changes that some documents made."""

    @property
    def n_documents(self) -> int:
        """The number of these documents."""


class Codec(Protocol):
    """How the changes of a model travel: packed into bytes, and unpacked into batches."""

    def pack(self, parts: list[Any]) -> NDArray[np.uint8]:
        """Join the changes posted since the last round; no bytes if others have nothing to learn from them."""

    def unpack(self, payload: NDArray[np.uint8]) -> Any:
        """Return the batch that a rank packed."""


class Exchange:
    """The exchange of changes during one sweep; used once.

    Parameters
    ----------
    channel : Communicator
        Channel for the exclusive use of the exchange while it runs.
    codec : Codec
    traffic : Traffic
        Counters that this exchange adds to.
    through_first : bool
        Whether all messages go through rank 0.
    """

    def __init__(self, channel: Communicator, codec: Codec, traffic: Traffic, through_first: bool = False) -> None:
        self.channel = channel
        self.through_first = through_first
        self.codec = codec
        self.traffic = traffic
        self._to_send: list[Posted] = []
        self._received: deque[Any] = deque()
        self._is_last = False
        self._is_over = False
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start a thread that runs the rounds."""
        self._thread = threading.Thread(target=self._run, name="topicgrove-exchange", daemon=True)
        self._thread.start()

    def post(self, changes: Posted) -> None:
        """Queue changes for the next round."""
        with self._lock:
            self._to_send.append(changes)

    def received(self) -> list[Any]:
        """Return the batches that have arrived since the last call."""
        if self._error is not None:
            raise self._error
        with self._lock:
            batches = list(self._received)
            self._received.clear()
        return batches

    def finish(self) -> None:
        """Declare that nothing more will be posted."""
        with self._lock:
            self._is_last = True
        self._wake.set()

    @property
    def is_over(self) -> bool:
        """Whether all ranks have finished and everything has arrived."""
        return self._is_over or self._error is not None

    def wait(self) -> None:
        """Wait until something may have arrived."""
        if self._thread is None:
            self.round()
        else:
            self._thread.join(PERIOD)

    def round(self) -> None:
        """Run one round of the exchange."""
        with self._lock:
            sending, self._to_send = self._to_send, []
            is_last = self._is_last
        payload = self.codec.pack(sending)
        self.traffic.rounds += 1
        self.traffic.n_documents += sum(changes.n_documents for changes in sending)
        parts = self.channel.allgather_bytes(np.array([is_last], np.int64), payload, self.through_first)
        others = [part for rank, (_, part) in enumerate(parts) if rank != self.channel.rank]
        batches = [self.codec.unpack(part) for part in others if len(part)]
        with self._lock:
            self._received.extend(batches)
            self._is_over = all(header[0] for header, _ in parts)

    def _run(self) -> None:
        try:
            while not self._is_over:
                begun, used = time.monotonic(), time.thread_time()
                self.round()
                period = max(PERIOD, (time.thread_time() - used) / SHARE)
                self._wake.wait(max(0.0, period - (time.monotonic() - begun)))
        except BaseException as error:
            self._error = error
