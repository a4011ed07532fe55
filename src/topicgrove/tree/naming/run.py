"""Name the topics of a tree, from the leaves up, asking at most once about each."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicgrove.tree.names import checked_name
from topicgrove.tree.naming.keyphrases import keyphrase_name
from topicgrove.tree.naming.namers import NamerError, name_in
from topicgrove.tree.naming.questions import Questions, TopicQuestion
from topicgrove.validation import check_whole

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree

LONGEST = 80
"""Most characters of a name from a namer."""

MOST_FAILURES = 3
"""Failures in a row after which nothing more is asked."""

Namer = Callable[[TopicQuestion], str]


@dataclass(frozen=True)
class Naming:
    """What `TopicTree.name_topics` did.

    Parameters
    ----------
    names : dict of int to str
        The new names.
    n_asked, n_cached : int
        Topics that the namer was asked about, and those whose names were in the cache.
    failures : dict of int to str
        Topics for which it gave no valid name, and why.
    n_left : int
        Topics that still have no name, because of ``max_requests`` or of failures.
    prompts : dict of int to str
        What a dry run would have asked.

    Examples
    --------
    >>> Naming({1: "Space"}, n_asked=1, n_cached=0, failures={}, n_left=0, prompts={}).names
    {1: 'Space'}
    """

    names: dict[int, str]
    n_asked: int
    n_cached: int
    failures: dict[int, str]
    n_left: int
    prompts: dict[int, str]


def name_topics(
    tree: TopicTree,
    namer: Namer | None = None,
    *,
    cache: str | os.PathLike[str] | None = None,
    texts: Mapping[int, str] | None = None,
    max_requests: int | None = None,
    overwrite: bool = False,
    dry_run: bool = False,
    on_topic: Callable[[int, int], object] | None = None,
) -> Naming:
    """Name topics from the leaves up, so that a topic's namer sees the names of those below it.

    Parameters
    ----------
    tree : TopicTree
        The tree; its ``names`` are set.
    namer : callable, default=None
        Gets a `TopicQuestion` and returns a name. None takes keyphrases: phrases from titles that hold the topic's
        distinctive words. See also `CommandNamer` and `EndpointNamer`.
    cache : str or path-like, default=None
        A file to which every answer is appended at once. A later call with the same namer asks nothing that is in it,
        so naming can be interrupted.
    texts : mapping of int to str, default=None
        Texts of documents by number, of which the namer sees the beginnings.
    max_requests : int, default=None
        Ask about at most so many topics.
    overwrite : bool, default=False
        Whether topics that have names get new ones.
    dry_run : bool, default=False
        Ask and set nothing, and return the prompts.
    on_topic : callable, default=None
        Is called with the number of topics done and of all.

    Returns
    -------
    Naming
        A name has one line, at most 80 characters and no control characters. Topics without a valid answer keep the
        name that they have.

    Examples
    --------
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree.from_arrays([[5, 4, 0, 0], [0, 0, 4, 5]], vocabulary=["moon", "rocket", "goal", "team"])
    >>> naming = tree.name_topics(lambda question: " & ".join(question.words[:2]))
    >>> tree.name(1), tree.name(2), naming.n_asked
    ('moon & rocket', 'goal & team', 3)
    """
    most = check_whole("max_requests", max_requests, 0) if max_requests is not None else len(tree)
    if namer is not None and not callable(namer):
        raise TypeError(f"namer must be callable or None; got {namer!r:.80}")
    chosen = keyphrase_name if namer is None else namer
    wanted = [t for t in range(len(tree) - 1, -1, -1) if overwrite or t not in tree.names]
    questions, known = Questions(tree, texts), _Cache(None if dry_run else cache, chosen)
    names: dict[int, str] = {}
    failures: dict[int, str] = {}
    prompts: dict[int, str] = {}
    n_asked = n_cached = in_a_row = 0
    for n_done, topic in enumerate(wanted, start=1):
        question = questions.about(topic, names)
        if dry_run:
            prompts[topic] = _shown(chosen, question)
            names[topic] = keyphrase_name(question)
            continue
        name = known.get(question)
        if name is not None:
            n_cached += 1
        elif n_asked < most and in_a_row < MOST_FAILURES:
            n_asked += 1
            try:
                name = _name(chosen(question))
                known.add(question, name)
                in_a_row = 0
            except NamerError as error:
                failures[topic] = str(error)
                in_a_row += 1
        if name is not None:
            names[topic] = name
        if on_topic is not None:
            on_topic(n_done, len(wanted))
    if dry_run:
        return Naming({}, 0, 0, {}, len(wanted), prompts)
    if namer is None:
        names = _unique(names)
    tree.names.update(names)
    return Naming(names, n_asked, n_cached, failures, len(wanted) - len(names), {})


def _name(answer: Any) -> str:
    try:
        name = checked_name(name_in(answer) if isinstance(answer, str) else answer)
    except ValueError as error:
        raise NamerError(str(error)) from None
    if len(name) > LONGEST:
        raise NamerError(f"the answer is no name: it has {len(name):,} characters, more than {LONGEST}")
    return name


def _shown(namer: Namer, question: TopicQuestion) -> str:
    shown = getattr(namer, "shown", None)
    return question.prompt() if shown is None else str(shown(question))


def _unique(names: dict[int, str]) -> dict[int, str]:
    """Number names that several topics have."""
    given: dict[str, int] = {}
    unique = {}
    for topic in sorted(names):
        n = given[names[topic]] = given.get(names[topic], 0) + 1
        unique[topic] = names[topic] if n == 1 else f"{names[topic]} ({n})"
    return unique


class _Cache:
    """Answers by question and namer, in a file to which each is appended and synced at once."""

    def __init__(self, path: str | os.PathLike[str] | None, namer: Namer) -> None:
        self._path = None if path is None else Path(path)
        self._identity = str(getattr(namer, "identity", getattr(namer, "__qualname__", type(namer).__qualname__)))
        self._names: dict[str, str] = {}
        if self._path is not None and self._path.exists():
            self._read(self._path)

    def _read(self, path: Path) -> None:
        data = path.read_bytes()
        lines = data.split(b"\n")
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                self._names[str(row["key"])] = _name(row["name"])
            except (ValueError, KeyError, TypeError, RecursionError, NamerError):
                if line.strip() and number < len(lines):
                    raise ValueError(f"{path}:{number}: not a cache of names: give another file") from None
        if lines[-1].strip():  # a kill cut the last line
            with open(path, "r+b") as file:
                file.truncate(len(data) - len(lines[-1]))

    def _key(self, question: TopicQuestion) -> str:
        facts = json.dumps([self._identity, question.to_dict()], sort_keys=True)
        return hashlib.sha256(facts.encode()).hexdigest()[:32]

    def get(self, question: TopicQuestion) -> str | None:
        """Return the name that this namer gave, if any."""
        return self._names.get(self._key(question))

    def add(self, question: TopicQuestion, name: str) -> None:
        """Append a name."""
        key = self._key(question)
        self._names[key] = name
        if self._path is None:
            return
        with open(self._path, "ab") as file:
            file.write(json.dumps({"key": key, "topic": question.topic, "name": name}).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
