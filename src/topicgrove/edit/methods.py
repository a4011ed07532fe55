"""The methods of a model that edit its tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from topicgrove import checks
from topicgrove.corpus import Corpus
from topicgrove.corpus.keys import document_keys
from topicgrove.edit.delete import delete
from topicgrove.edit.draft import Draft
from topicgrove.edit.edits import Edits, apply_all, read_edits
from topicgrove.edit.merge import merge
from topicgrove.edit.move import move
from topicgrove.edit.rename import rename
from topicgrove.edit.reorder import reorder
from topicgrove.edit.split import split
from topicgrove.holding_out import positions_trained_on
from topicgrove.inputs import corpus_to_place

if TYPE_CHECKING:
    from topicgrove.estimator import HierarchicalLDA
    from topicgrove.fitted_model import FittedModel


def merge_topics(  # noqa: D417 - a method, whose self is the model
    model: FittedModel, topics: Sequence[int], into: int | None = None, *, corpus: Any = None
) -> None:
    """Merge topics of one level: one of them takes the documents, words and children of the others.

    Topic ids change, since siblings stay sorted by documents; names follow their topics. `undo_edits` takes the last
    edit back.

    Parameters
    ----------
    topics : sequence of int
        Ids in ``tree_``.
    into : int, default=None
        The topic that stays, with its name and its parent; None means the first.
    corpus : texts, counts or Corpus, default=None
        What `fit` was given. It is needed if the topics have different parents, because a model does not keep the
        documents' words.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA
    >>> X = [[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]]
    >>> model = HierarchicalLDA(n_levels=2, gamma=1.0, beta=0.1, n_iter=20, random_state=0).fit(X)
    >>> n_topics = len(model.tree_)
    >>> model.merge_topics([1, 2])
    >>> n_topics - len(model.tree_)
    1
    """
    topics = list(topics) if isinstance(topics, Sequence | np.ndarray) else topics
    kept = topics[0] if into is None and topics else into
    _edit(model, corpus, lambda draft: merge(draft, topics, kept))


def move_topic(model: FittedModel, topic: int, parent: int, *, corpus: Any) -> None:  # noqa: D417
    """Move a topic, with all topics below it, below another topic of the level above its own.

    Tokens keep their levels: those of the topics above it go to the new topics above it. A parent that is left without
    children goes.

    Parameters
    ----------
    topic, parent : int
        Ids in ``tree_``.
    corpus : texts, counts or Corpus
        What `fit` was given.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA, load_example
    >>> corpus = load_example()
    >>> model = HierarchicalLDA(n_levels=3, n_iter=5, random_state=0).fit(corpus)
    >>> leaf = model.tree_.children[1][-1]
    >>> n_docs = model.tree_.n_docs[[1, 2, leaf]].tolist()
    >>> model.move_topic(leaf, parent=2, corpus=corpus)
    >>> sorted(model.tree_.n_docs[model.tree_.children[0]])[-1] in (n_docs[0] - n_docs[2], n_docs[1] + n_docs[2])
    True
    """
    _edit(model, corpus, lambda draft: move(draft, topic, parent))


def split_topic(model: FittedModel, topic: int, into: int = 2, *, corpus: Any) -> None:  # noqa: D417
    """Split a topic into siblings, by a short run inside it.

    Documents of a topic on the last level are grouped by their words; above it, the topics below are grouped. The
    levels of the documents' words are then drawn again. Parts have no names.

    Parameters
    ----------
    topic : int
        Its id in ``tree_``.
    into : int, default=2
        Number of parts.
    corpus : texts, counts or Corpus
        What `fit` was given.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA, load_example
    >>> corpus = load_example()
    >>> model = HierarchicalLDA(n_levels=2, n_iter=5, random_state=0).fit(corpus)
    >>> n_topics = len(model.tree_)
    >>> model.split_topic(1, into=3, corpus=corpus)
    >>> len(model.tree_) - n_topics
    2
    """
    _edit(model, corpus, lambda draft: split(draft, topic, into))


def delete_topic(model: FittedModel, topic: int, *, corpus: Any) -> None:  # noqa: D417
    """Delete a topic and all topics below it; its documents move to the best of the remaining paths.

    A parent that is left without children goes, too.

    Parameters
    ----------
    topic : int
        Its id in ``tree_``.
    corpus : texts, counts or Corpus
        What `fit` was given.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA, load_example
    >>> corpus = load_example()
    >>> model = HierarchicalLDA(n_levels=2, n_iter=5, random_state=0).fit(corpus)
    >>> n_topics = len(model.tree_)
    >>> model.delete_topic(1, corpus=corpus)
    >>> n_topics - len(model.tree_), len(model.paths_) == corpus.n_docs
    (1, True)
    """
    _edit(model, corpus, lambda draft: delete(draft, topic))


def reorder_topics(model: FittedModel, parent: int, children: Sequence[int]) -> None:  # noqa: D417
    """Put the children of a topic into an order, which ids then follow. Children left out follow as they were.

    Parameters
    ----------
    parent : int
        Its id in ``tree_``.
    children : sequence of int
        Ids of its children.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA
    >>> X = [[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]]
    >>> model = HierarchicalLDA(n_levels=2, gamma=1.0, beta=0.1, n_iter=20, random_state=0).fit(X)
    >>> model.tree_.set_names({1: "one", 2: "two"})
    >>> model.reorder_topics(0, [2, 1])
    >>> model.tree_.names
    {1: 'two', 2: 'one'}
    """
    children = list(children) if isinstance(children, Sequence | np.ndarray) else children
    _edit(model, None, lambda draft: reorder(draft, parent, children))


def rename_topic(model: FittedModel, topic: int, name: str) -> None:  # noqa: D417
    """Give a topic a name of one line. Unlike `TopicTree.set_names`, this can be undone.

    Parameters
    ----------
    topic : int
        Its id in ``tree_``.
    name : str
        At most 200 characters.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA
    >>> model = HierarchicalLDA(n_levels=2, n_iter=5, random_state=0).fit([[2, 0], [0, 2]])
    >>> model.rename_topic(0, "everything")
    >>> model.tree_.name(0)
    'everything'
    """
    _edit(model, None, lambda draft: rename(draft, topic, name))


def apply_edits(model: FittedModel, edits: Edits, *, corpus: Any = None) -> int:  # noqa: D417
    """Apply a list of edits, all or none; return their number. `undo_edits` takes them all back.

    Parameters
    ----------
    edits : str, path-like or dict
        A file that the explorer exported, or what such a file holds. Ids in it are those before all of its edits.
    corpus : texts, counts or Corpus, default=None
        What `fit` was given, needed for all edits but renaming, reordering, and merging siblings.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA
    >>> model = HierarchicalLDA(n_levels=2, n_iter=5, random_state=0).fit([[2, 0], [0, 2]])
    >>> edits = {"format": "topicgrove-edits", "version": 1, "model": model.tree_.fingerprint,
    ...     "edits": [{"do": "rename", "topic": 0, "name": "everything"}]}
    >>> model.apply_edits(edits), model.tree_.name(0)
    (1, 'everything')
    """
    _check_fitted(model)
    found = read_edits(edits, model.tree_.fingerprint)
    _edit(model, corpus, lambda draft: apply_all(draft, found))
    return len(found)


def undo_edits(model: FittedModel) -> None:
    """Take back the last edit, or the last list of edits; there is one step back, and saving forgets it.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA
    >>> model = HierarchicalLDA(n_levels=2, n_iter=5, random_state=0).fit([[2, 0], [0, 2]])
    >>> model.rename_topic(0, "everything")
    >>> model.undo_edits()
    >>> model.tree_.names
    {}
    """
    if model._before_edits is None:
        raise ValueError("there is no edit to undo: only the last one can be taken back, once")
    model._keep(*model._before_edits)


def _edit(model: FittedModel, corpus: Any, change: Callable[[Draft], None]) -> None:
    """Make a change to a draft, and keep what comes of it; a change that raises leaves the model as it was."""
    _check_fitted(model)
    before = model.tree_, model.token_levels_
    documents = None if corpus is None else documents_of(model, corpus)
    seed = checks.seed(getattr(model, "random_state", None)) % 2**62
    draft = Draft(*before, model.hyper_parameters_, documents, seed)
    change(draft)
    model._keep(*draft.finish())
    model._before_edits = before


def documents_of(model: FittedModel, X: Any) -> Corpus:
    """Return X as the documents that the model was trained on, in their order; refuse other documents."""
    read = corpus_to_place(cast("HierarchicalLDA", model), X)
    trained_on = positions_trained_on(model.held_out_, read.n_docs, len(model.paths_))
    read = read if trained_on is None else read.take(trained_on)
    documents = model.tree_.documents
    assert documents is not None
    lengths = documents.level_counts.sum(axis=1)
    same = read.n_docs == len(model.paths_) and np.array_equal(read.document_lengths, lengths)
    if not same or (model._document_keys is not None and not np.array_equal(document_keys(read), model._document_keys)):
        raise ValueError(
            f"corpus must be the {len(model.paths_):,} documents that the model was trained on, in their order; got "
            f"{read.n_docs:,} documents" + ("" if read.n_docs != len(model.paths_) else " with other words")
        )
    return read


def _check_fitted(model: FittedModel) -> None:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
