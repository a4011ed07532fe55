"""The live page of a tree: looked at between sweeps while somebody watches, with everything else computed on demand."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from topicgrove.distributed.shards import gathered
from topicgrove.explore import explorer_data, render_page
from topicgrove.explore.data import history_columns
from topicgrove.fitted import names, tree_of_state
from topicgrove.training import Callback
from topicgrove.tree import TopicTree

if TYPE_CHECKING:
    from topicgrove.corpus import Corpus

EVERY = 2.0
"""Least seconds between two looks; also the page's polling interval."""

SHARE = 0.05
"""Share of a core's time for looking at the tree and making data for the page."""

N_DOCUMENTS = 2
"""Representative documents of a topic: documents take most of the time, and change constantly."""

WATCHED = 15.0
"""Seconds after a request during which somebody counts as watching; browsers slow down pages in the background."""


@dataclass(frozen=True)
class Look:
    """A snapshot of the tree, and how it came about."""

    tree: TopicTree
    history: tuple[Mapping[str, Any], ...]
    iteration: int
    n_iter: int
    done: bool
    version: int


class LivePage:
    """The page that a server shows for a training run; `follow` returns the callback that keeps it up to date.

    Parameters
    ----------
    title : str, default=""
        Title of the page.
    every : float, default=2
        Least seconds between two looks at the tree.

    Examples
    --------
    >>> import numpy as np
    >>> from topicgrove import Corpus, HierarchicalLDA
    >>> corpus = Corpus.from_matrix(np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]]))
    >>> page = LivePage()
    >>> page.data() is None
    True
    >>> model = HierarchicalLDA(2, n_iter=3, callbacks=[page.follow(corpus)]).fit(corpus)
    >>> page.data()["n_tokens"]
    21
    """

    def __init__(self, title: str = "", every: float = EVERY) -> None:
        self.title = title
        self.every = every
        self.run = secrets.token_hex(4)
        self._look: Look | None = None
        self._data: tuple[int, dict[str, Any]] | None = None
        self._making = threading.Lock()
        self._seen = threading.Condition()
        self._seen_version = 0
        self._asked = float("-inf")
        self._next = float("-inf")
        self._making_seconds = 0.0

    def follow(self, corpus: Corpus, history: Iterable[Mapping[str, Any]] = ()) -> Callback:
        """Return a callback for training on this corpus; ``history`` holds the earlier sweeps, if any."""
        # Read the names of a store once, and not with every look.
        corpus = replace(corpus, ids=names(corpus.ids), titles=names(corpus.titles))
        rows = list(history)

        def after_sweep(event: Any) -> None:
            started = time.monotonic()
            due = self._is_due()
            rows.append(event.row(with_joint=due))
            if due:
                self._show(_tree_of(event, corpus), rows, event.iteration, event.n_iter)
                cost = time.monotonic() - started
                self._next = started + max(self.every, (cost + self._making_seconds) / SHARE)

        return after_sweep

    def finish(self, tree: TopicTree, history: Iterable[Mapping[str, Any]], wait: float = 2 * EVERY + 1) -> None:
        """Show the final tree; if somebody watches, wait up to ``wait`` seconds for it to be seen."""
        rows = tuple(history)
        n_iter = rows[-1]["iteration"] if rows else 0
        self._show(tree, rows, n_iter, n_iter, done=True)
        if self.is_watched:
            with self._seen:
                self._seen.wait_for(lambda: self._seen_version == self.version, wait)

    @property
    def version(self) -> int:
        """The number of looks at the tree so far; 0 before the first."""
        return 0 if self._look is None else self._look.version

    @property
    def is_watched(self) -> bool:
        """Whether somebody has requested the page or its data recently."""
        return time.monotonic() - self._asked < WATCHED

    def ask(self) -> None:
        """Note that somebody watches."""
        self._asked = time.monotonic()

    def was_seen(self, version: int) -> None:
        """Note that somebody has received the data of a look."""
        with self._seen:
            self._seen_version = version
            self._seen.notify_all()

    def data(self) -> dict[str, Any] | None:
        """Return the page's data for JSON; None before the first sweep is over."""
        look = self._look
        if look is None:
            return None
        with self._making:
            if self._data is None or self._data[0] != look.version:
                started = time.thread_time()
                self._data = look.version, self._make(look)
                self._making_seconds = time.thread_time() - started
            return self._data[1]

    def html(self) -> str | None:
        """Return the page; None before the first sweep is over."""
        data = self.data()
        return None if data is None else render_page(data, live=True)

    def _is_due(self) -> bool:
        return self._look is None or (self.is_watched and time.monotonic() >= self._next)

    def _show(
        self, tree: TopicTree, history: Iterable[Mapping[str, Any]], iteration: int, n_iter: int, done: bool = False
    ) -> None:
        self._look = Look(tree, tuple(history), iteration, n_iter, done, self.version + 1)

    def _make(self, look: Look) -> dict[str, Any]:
        progress = {
            "iteration": look.iteration,
            "n_iter": look.n_iter,
            "done": look.done,
            "version": look.version,
        }
        data = explorer_data(look.tree, title=self.title, n_documents=N_DOCUMENTS)
        return data | {"history": history_columns(look.history), "live": progress}


def _tree_of(event: Any, corpus: Corpus) -> TopicTree:
    """Return the tree after a sweep of any model."""
    if hasattr(event, "tree"):
        tree: TopicTree = event.tree(corpus)
        return tree
    drawn = gathered(event.state)
    assert drawn is not None  # there is a single process
    return tree_of_state(event.state, corpus, drawn)
