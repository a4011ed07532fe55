"""TopicGrove learns a tree of topics from text: hierarchical LDA by partially collapsed Gibbs sampling.

>>> from topicgrove import HierarchicalLDA, read_uci
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicgrove.corpus import Corpus, read_ldac, read_uci
    from topicgrove.estimator import HierarchicalLDA
    from topicgrove.training import SweepEvent
    from topicgrove.tree import TopicTree

__all__ = ["Corpus", "HierarchicalLDA", "SweepEvent", "TopicTree", "read_ldac", "read_uci"]
__version__ = "0.1.0"

# Names are loaded when they are first used: scikit-learn and Numba take a second to import.
_HOMES = {
    "Corpus": "topicgrove.corpus",
    "HierarchicalLDA": "topicgrove.estimator",
    "SweepEvent": "topicgrove.training",
    "TopicTree": "topicgrove.tree",
    "read_ldac": "topicgrove.corpus",
    "read_uci": "topicgrove.corpus",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
