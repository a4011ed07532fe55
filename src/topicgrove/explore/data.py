"""The explorer's data, as plain types for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.documents import storable_name
from topicgrove.explore.all_documents import other_documents
from topicgrove.explore.document_table import Selection, document_table
from topicgrove.explore.numbers import short
from topicgrove.explore.over_block import over_block
from topicgrove.explore.places import sibling_places
from topicgrove.explore.topic_words import (
    known_words,
    topic_figures,
    topic_words,
    where_table,
    with_relevant,
)
from topicgrove.holding_out import positions_trained_on
from topicgrove.tree import TopicTree
from topicgrove.validation import check_whole

if TYPE_CHECKING:
    from topicgrove.corpus import Corpus
    from topicgrove.inputs import Model
    from topicgrove.tree import SharesOver

N_WORDS = 20
N_DOCUMENTS = 5
N_FOUND_WORDS = 10_000
N_FOUND_DOCUMENTS = 5_000
HISTORY_ROWS = 500

DATA_FIELDS = """
title         what the page is called
fingerprint   of the tree, for edits that the page exports
n_docs, n_tokens, n_words
              sizes of the corpus, whatever part of the tree is shown
n_top_words   words of a topic that are listed
n_levels      levels of the whole tree
beta          prior of topics over words, by level
words, word_totals
              the words that the page knows, and how many tokens each has in the tree
topics        columns, one entry a topic, parents before children: id (in the whole tree), parent (index, -1 for the
              root), level, n_docs, n_tokens (its own), label (made of words), words (flat triples: word, tokens,
              distinctiveness, which is 0 for words that are not shown as distinctive: the most probable, distinctive
              and relevant ones), documents (flat pairs: row of `documents`, share), npmi (null where unknown), distance
              (nats), place (x and y among its siblings)
labels        names that users gave, by the topics' ids
where         for each word flat pairs: topic, tokens
documents     columns, one entry a document: name, title, leaf (topic), levels (tokens by level), text (null, or pieces
              of text, every second one a word, and the words' levels as digits), bag (null, or flat triples:
              word, tokens, level), spread (null, or, of a document with several paths, flat pairs: topic, tokens),
              word_topics (null, or the topics of the words in text or bag)
more_documents
              null, or documents with nothing but a title, as `topicgrove.explore.all_documents` packs them
over          null, or shares over time or by class, as `topicgrove.explore.over_block` packs them
history       columns, one entry a sweep: iteration, seconds, topics (by level), log_joint, perplexity (null: unknown)
"""


def explorer_data(
    source: Model | TopicTree,
    *,
    corpus: Corpus | None = None,
    texts: Mapping[int, str] | None = None,
    title: str = "",
    n_words: int = N_WORDS,
    n_documents: int = N_DOCUMENTS,
    min_docs: int = 1,
    over: Mapping[str, SharesOver] | None = None,
) -> dict[str, Any]:
    """Collect what the page shows of a model or of a tree, for `render_page` and for JSON.

    Parameters
    ----------
    source : HierarchicalLDA, NestedHDP or TopicTree
        A fitted model, or a tree, which may be a part of another one; only a model has a history of training.
    corpus : Corpus, default=None
        The documents given to `fit`, or those of them that were not held out, in the same order. It provides the
        words of representative documents, each with its level, and the coherence of topics.
    texts : mapping from int to str, default=None
        Texts by the documents' numbers. The page shows titles where it has no text.
    title : str, default=""
        Title of the page.
    n_words : int, default=20
        Words per topic: this many most probable ones, and this many distinctive ones.
    n_documents : int, default=5
        Representative documents per topic.
    min_docs : int, default=1
        Leave out topics with fewer documents.
    over : mapping from str to SharesOver, default=None
        Shares of topics over time or by class, from `TopicTree.over`, and what they are called. None shows the shares
        by the documents' classes, if they have at most 60.

    Returns
    -------
    dict
        Plain types; see `DATA_FIELDS`.

    Examples
    --------
    >>> tree = TopicTree(np.array([-1, 0, 0]), np.array([0, 1, 1]), np.array([3, 2, 1]), np.array([6, 7, 3]))
    >>> data = explorer_data(tree, min_docs=2)
    >>> data["topics"]["id"], data["topics"]["n_docs"]
    ([0, 1], [3, 2])
    """
    tree: TopicTree = source if isinstance(source, TopicTree) else source.tree_
    check_whole("n_words", n_words, 1)
    check_whole("n_documents", n_documents, 0)
    shown = tree if min_docs == 1 else tree.prune(min_docs=min_docs)
    whole = shown if shown.source is None else shown.source
    ids = np.arange(len(whole)) if shown.original_ids is None else shown.original_ids
    levels = None if isinstance(source, TopicTree) else _token_levels(source)
    rules = None if isinstance(source, TopicTree) else source.rules_
    if corpus is not None and not isinstance(source, TopicTree):
        trained_on = positions_trained_on(source.held_out_, corpus.n_docs, len(source.paths_))
        corpus = corpus if trained_on is None else corpus.take(trained_on)
    selection = Selection(whole, ids, corpus, texts or {}, levels, rules, getattr(source, "token_topics_", None))

    words = topic_words(whole, ids, n_words)
    documents = document_table(selection, n_documents, N_FOUND_DOCUMENTS)
    used = set().union(*(topic.ids.tolist() for topic in words), documents.words)
    known = known_words(whole, used, N_FOUND_WORDS)
    # Coherence is that of the most probable words, which come first.
    figures = topic_figures(whole, ids, words, corpus)
    words = with_relevant(whole, ids, words, known, n_words)
    found = where_table(whole, ids, known)
    return {
        "title": storable_name(title),
        "fingerprint": whole.fingerprint,
        **_sizes(whole),
        "n_top_words": n_words,
        "words": found.names,
        "word_totals": found.totals,
        "topics": {
            "id": ids.tolist(),
            "parent": _parents(whole, ids),
            "level": whole.level[ids].tolist(),
            "n_docs": whole.n_docs[ids].tolist(),
            "n_tokens": whole.n_tokens[ids].tolist(),
            "label": [whole.word_name(topic) for topic in ids.tolist()],
            "words": [topic.flat(found.place) for topic in words],
            "documents": documents.of_topics,
            **figures,
            "place": sibling_places(whole, ids),
        },
        "labels": {str(ids[topic]): name for topic, name in shown.names.items()},
        "where": found.where,
        "documents": documents.columns(found.place),
        "over": over_block(whole, ids, over),
        "more_documents": other_documents(selection, documents.numbers),
        "history": history_columns([] if isinstance(source, TopicTree) else source.history_),
    }


def _sizes(whole: TopicTree) -> dict[str, Any]:
    return {
        "n_docs": int(whole.n_docs[0]),
        "n_tokens": int(whole.n_tokens.sum()),
        "n_words": 0 if whole.word_counts is None else int(whole.word_counts.shape[1]),
        "n_levels": whole.n_levels,
        "beta": [0.0] * whole.n_levels if whole.beta is None else [short(b) for b in whole.beta],
    }


def history_columns(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the history of training in columns; of a long one, some rows, including those with a log joint.

    >>> row = {"iteration": 1, "seconds": 0.12345, "n_topics_per_level": [1, 3], "log_joint": None}
    >>> history_columns([row])["topics"]
    [[1, 3]]
    """
    rows = list(rows)
    step = -(-len(rows) // HISTORY_ROWS)
    kept = [
        row
        for i, row in enumerate(rows, start=1)
        if i % step == 0 or i == len(rows) or row.get("log_joint") is not None or row.get("perplexity") is not None
    ]
    return {
        "iteration": [row["iteration"] for row in kept],
        "seconds": [short(row["seconds"]) for row in kept],
        "topics": [row["n_topics_per_level"] for row in kept],
        "log_joint": [_rounded(row.get("log_joint")) for row in kept],
        "perplexity": [_rounded(row.get("perplexity")) for row in kept],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else round(float(value), 1)


def _token_levels(model: Model) -> NDArray[np.uint8]:
    """Return the level of every token's topic."""
    found: Any = getattr(model, "token_levels_", None)
    return found if found is not None else model.tree_.level.astype(np.uint8)[model.token_topics_]


def _parents(whole: TopicTree, ids: NDArray[np.int64]) -> list[int]:
    place = {int(topic): i for i, topic in enumerate(ids)}
    return [-1] + [place[int(parent)] for parent in whole.parent[ids[1:]]]
