"""The thread that exchanges changes while documents are drawn.

Three buffers: changes gather in *to send*; a round takes all of them (*sending*), packs them and gathers what every
rank sends; that is *received* until the sweep gets to it. A rank that has nothing to say takes part all the same, so a
slow one holds nobody up. A sweep's rounds end with the first in which everybody said that this was all.
"""

from __future__ import annotations

import threading
import time
from collections import deque

import numpy as np

from topicgrove.communication import Communicator
from topicgrove.communication.traffic import Traffic
from topicgrove.distributed.changes import Batch, Changes, join, pack, unpack
from topicgrove.distributed.ids import Ids

PERIOD = 0.005
"""Seconds from the beginning of a round to the next, while documents are drawn."""

SHARE = 0.02
"""Share of a core's time that rounds may take from the documents; expensive rounds run less often."""


class Exchange:
    """The changes of one sweep on their way, to be used once.

    Parameters
    ----------
    channel : Communicator
        Used by this alone while it runs.
    ids : Ids
    n_words : int
    traffic : Traffic
        Gets what this exchange adds.
    through_first : bool
        Whether everything goes through rank 0.
    """

    def __init__(
        self, channel: Communicator, ids: Ids, n_words: int, traffic: Traffic, through_first: bool = False
    ) -> None:
        self.channel = channel
        self.through_first = through_first
        self.ids = ids
        self.n_words = n_words
        self.traffic = traffic
        self._to_send: list[Changes] = []
        self._received: deque[Batch] = deque()
        self._is_last = False
        self._is_over = False
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Let a thread run the rounds."""
        self._thread = threading.Thread(target=self._run, name="topicgrove-exchange", daemon=True)
        self._thread.start()

    def post(self, changes: Changes) -> None:
        """Have these sent with the next round."""
        with self._lock:
            self._to_send.append(changes)

    def received(self) -> list[Batch]:
        """What arrived since the last time."""
        if self._error is not None:
            raise self._error
        with self._lock:
            batches = list(self._received)
            self._received.clear()
        return batches

    def finish(self) -> None:
        """Nothing more will be posted."""
        with self._lock:
            self._is_last = True
        self._wake.set()

    @property
    def is_over(self) -> bool:
        """Whether all ranks have finished and everything has arrived."""
        return self._is_over or self._error is not None

    def wait(self) -> None:
        """Until something may have arrived."""
        if self._thread is None:
            self.round()
        else:
            self._thread.join(PERIOD)

    def round(self) -> None:
        """Exchange once."""
        with self._lock:
            sending, self._to_send = join(self._to_send), []
            is_last = self._is_last
        payload = pack(sending, self.ids, self.n_words)
        self.traffic.rounds += 1
        self.traffic.n_documents += sending.n_documents
        parts = self.channel.allgather_bytes(np.array([is_last], np.int64), payload, self.through_first)
        others = [part for rank, (_, part) in enumerate(parts) if rank != self.channel.rank]
        batches = [unpack(part) for part in others if len(part)]
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
