"""Documents as token arrays: the corpus every sampler reads, and the readers of the usual count files."""

from topicgrove.corpus.ldac import read_ldac
from topicgrove.corpus.tokens import Corpus
from topicgrove.corpus.uci import read_uci

__all__ = ["Corpus", "read_ldac", "read_uci"]
