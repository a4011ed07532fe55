"""Check the history of a run as read from a file."""

from __future__ import annotations

import math
from typing import Any

from topicgrove.validation import check_whole

_NAMES = {"iteration", "seconds", "n_topics_per_level", "log_joint"}
_OPTIONAL = {"perplexity", "agreement"}


def check_history(rows: Any, n_levels: int, *, full_depth: bool = True) -> list[dict[str, Any]]:
    """Return the rows, checked: one for each sweep from the first, as a run writes them.

    Unless ``full_depth``, the tree may have had fewer levels than ``n_levels`` after some sweeps.

    >>> row = {"iteration": 1, "seconds": 0.5, "n_topics_per_level": [1, 4], "log_joint": None}
    >>> check_history([row], 2) == [row]
    True
    >>> check_history([row, row], 2)
    Traceback (most recent call last):
    ValueError: history: row 2 is of iteration 1
    """
    if not isinstance(rows, list):
        raise ValueError(f"history must be a list; got {rows!r:.80}")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not _NAMES <= set(row) <= _NAMES | _OPTIONAL:
            raise ValueError(f"history: row {number} must have {', '.join(sorted(_NAMES))}; got {row!r:.80}")
        if check_whole("iteration", row["iteration"], 1) != number:
            raise ValueError(f"history: row {number} is of iteration {row['iteration']}")
        topics = row["n_topics_per_level"]
        depths = range(n_levels if full_depth else 1, n_levels + 1)
        if not isinstance(topics, list) or len(topics) not in depths:
            raise ValueError(f"history: row {number} must have topics of {n_levels} levels; got {topics!r:.80}")
        for n_topics in topics:
            check_whole("n_topics_per_level", n_topics, 1, 2**62)
        _check_number("seconds", row["seconds"], 0.0)
        for name in ("log_joint", *_OPTIONAL):
            if row.get(name) is not None:
                _check_number(name, row[name], -math.inf)
    return rows


def _check_number(name: str, value: Any, least: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= float(value) < math.inf:
        raise ValueError(f"history: {name} must be a number; got {value!r:.80}")
