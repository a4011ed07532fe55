"""The corpus: arrays of tokens that samplers read, its readers for texts and counts, and its store on disk."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicgrove.corpus.build import build_store
    from topicgrove.corpus.example import load_example
    from topicgrove.corpus.formats import detect_format
    from topicgrove.corpus.ldac import read_ldac
    from topicgrove.corpus.matrix_market import read_matrix_market
    from topicgrove.corpus.read import read_corpus, with_vocabulary
    from topicgrove.corpus.rules import TextRules
    from topicgrove.corpus.shards import shard_bounds
    from topicgrove.corpus.stages import StageEvent
    from topicgrove.corpus.store import CorruptStoreError, open_store
    from topicgrove.corpus.tokens import Corpus
    from topicgrove.corpus.uci import read_uci

__all__ = [
    "Corpus",
    "CorruptStoreError",
    "StageEvent",
    "TextRules",
    "build_store",
    "detect_format",
    "load_example",
    "open_store",
    "read_corpus",
    "read_ldac",
    "read_matrix_market",
    "read_uci",
    "shard_bounds",
    "with_vocabulary",
]

# Names are loaded when they are first used: reading texts takes Numba, which a corpus alone does not need.
_HOMES = {
    "Corpus": "tokens",
    "CorruptStoreError": "store",
    "StageEvent": "stages",
    "TextRules": "rules",
    "build_store": "build",
    "detect_format": "formats",
    "load_example": "example",
    "open_store": "store",
    "read_corpus": "read",
    "read_ldac": "ldac",
    "read_matrix_market": "matrix_market",
    "read_uci": "uci",
    "shard_bounds": "shards",
    "with_vocabulary": "read",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
