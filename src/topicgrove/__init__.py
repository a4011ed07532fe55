"""TopicGrove learns a tree of topics from text: hierarchical LDA by partially collapsed Gibbs sampling.

>>> from topicgrove import HierarchicalLDA, read_uci
"""

from __future__ import annotations

import importlib

# Set by hand, as importing typing takes a while.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from topicgrove.comparing import compare
    from topicgrove.corpus import (
        Corpus,
        CorruptStoreError,
        TextRules,
        build_store,
        load_example,
        open_store,
        read_corpus,
        read_ldac,
        read_matrix_market,
        read_uci,
    )
    from topicgrove.estimator import HierarchicalLDA
    from topicgrove.nested_hdp import NestedHDP
    from topicgrove.persistence.models import load_model as load
    from topicgrove.persistence.sealed import CorruptModelError
    from topicgrove.reporting import ProgressEvent
    from topicgrove.suggesting import suggest_topics
    from topicgrove.training import SweepEvent
    from topicgrove.tree import TopicTree

__all__ = [
    "Corpus",
    "CorruptModelError",
    "CorruptStoreError",
    "HierarchicalLDA",
    "NestedHDP",
    "ProgressEvent",
    "SweepEvent",
    "TextRules",
    "TopicTree",
    "build_store",
    "compare",
    "load",
    "load_example",
    "open_store",
    "read_corpus",
    "read_ldac",
    "read_matrix_market",
    "read_uci",
    "suggest_topics",
]
__version__ = "0.4.0.dev0"

# Names are loaded on first use: scikit-learn and Numba take a second to import.
_HOMES = {
    "CorruptModelError": ("topicgrove.persistence.sealed", "CorruptModelError"),
    "HierarchicalLDA": ("topicgrove.estimator", "HierarchicalLDA"),
    "NestedHDP": ("topicgrove.nested_hdp", "NestedHDP"),
    "ProgressEvent": ("topicgrove.reporting", "ProgressEvent"),
    "SweepEvent": ("topicgrove.training", "SweepEvent"),
    "TopicTree": ("topicgrove.tree", "TopicTree"),
    "compare": ("topicgrove.comparing", "compare"),
    "suggest_topics": ("topicgrove.suggesting", "suggest_topics"),
    "load": ("topicgrove.persistence.models", "load_model"),
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES.get(name, ("topicgrove.corpus", name))
    value: object = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
