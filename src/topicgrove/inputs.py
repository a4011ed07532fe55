"""Convert the estimator's input (texts, tokens, counts or a corpus) to a corpus in the words of the model."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.utils.validation import validate_data

from topicgrove import checks
from topicgrove.corpus import Corpus, TextRules
from topicgrove.corpus.any_input import Texts, corpus_of_texts, texts_in
from topicgrove.vectorizers import rules_of_vectorizer

if TYPE_CHECKING:
    from topicgrove.estimator import HierarchicalLDA
    from topicgrove.nested_hdp import NestedHDP

    Model: TypeAlias = HierarchicalLDA | NestedHDP


def rules_of(text: Any) -> TextRules:
    """Return the rules that the parameter ``text`` stands for.

    >>> rules_of({"min_df": 3}).min_df, rules_of(None) == TextRules()
    (3, True)
    """
    if text is None:
        return TextRules()
    if isinstance(text, TextRules):
        return text
    if hasattr(text, "build_analyzer"):
        return rules_of_vectorizer(text)
    if not isinstance(text, Mapping):
        raise TypeError(f"text must be TextRules, a dict of its fields, a CountVectorizer, or None; got {text!r:.80}")
    try:
        return TextRules.of(None, text)
    except (TypeError, ValueError) as error:
        raise type(error)(f"text: {error}") from error


def corpus_to_fit(model: Model, X: Any) -> Corpus:
    """Convert X to a corpus to train on; the model records the number of its words and the names of its columns."""
    rules = rules_of(model.text)
    texts = None if isinstance(X, Corpus) else texts_in(X)
    if texts is not None:
        X = corpus_of_texts(texts, rules, titles=True)
    if isinstance(X, Corpus):
        model.n_features_in_ = X.n_words
        model.__dict__.pop("feature_names_in_", None)
        return X
    corpus = _counts(model, X, reset=True)
    return Corpus.from_matrix(corpus, getattr(model, "feature_names_in_", None))


def corpus_to_place(model: Model, X: Any) -> Corpus:
    """Convert X to a corpus in the words of a fitted model; unknown words of texts are left out."""
    texts = None if isinstance(X, Corpus) else texts_in(X)
    if texts is not None:
        rules = rules_of(model.text) if model.rules_ is None else model.rules_
        return _in_words(texts, rules, model.tree_.vocabulary, "X")
    if not isinstance(X, Corpus):
        return _counts(model, X, reset=False)
    checks.check_same_words(X, model.n_features_in_, model.tree_.vocabulary)
    return X


def corpus_held_out(model: Model, held_out: Any, corpus: Corpus) -> Corpus:
    """Convert held-out documents to a corpus in the words of the one that a model is trained on."""
    texts = None if isinstance(held_out, Corpus) else texts_in(held_out, "held_out")
    if texts is not None:
        return _in_words(texts, corpus.rules or rules_of(model.text), corpus.vocabulary, "held_out")
    documents = Corpus.from_matrix(held_out)
    checks.check_same_words(documents, corpus.n_words, corpus.vocabulary, name="held_out")
    return documents


def report_unknown(X: Any, corpus: Corpus, stacklevel: int) -> None:
    """Warn once about texts in X with no word that the model knows, attributed to the caller at ``stacklevel``."""
    if X is corpus or corpus.vocabulary is None:
        return  # counts or a corpus, which are in the words of the model already
    n_empty = int((corpus.document_lengths == 0).sum())
    if n_empty:
        words = f"; {corpus.n_unknown_words:,} of their words are unknown to it" if n_empty == corpus.n_docs else ""
        warnings.warn(
            f"{n_empty:,} of {corpus.n_docs:,} texts have no word that the model knows{words}. They are placed by the "
            "prior alone; were they written in another language, or their words made by other rules (rules_)?",
            stacklevel=stacklevel,
        )


def _counts(model: Model, X: Any, *, reset: bool) -> Corpus:
    corpus = Corpus.from_matrix(X)
    validate_data(model, X if hasattr(X, "shape") else np.asarray(X), reset=reset, skip_check_array=True)
    return corpus


def _in_words(texts: Texts, rules: TextRules, vocabulary: tuple[str, ...] | None, name: str) -> Corpus:
    if vocabulary is None:
        raise ValueError(
            f"{name} holds texts, but the model was trained on counts without words; give it counts, "
            "or its words first: set_vocabulary(words)"
        )
    return corpus_of_texts(texts, rules, vocabulary)
