"""The corpus: arrays of tokens that samplers read, its readers for texts and counts, and its store on disk."""

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
