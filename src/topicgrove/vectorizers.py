"""Convert scikit-learn's vectorizers to rules of text."""

from __future__ import annotations

from typing import Any

from topicgrove.corpus import TextRules

_SAME = ("lowercase", "token_pattern", "stop_words", "ngram_range", "strip_accents")
_FREQUENCIES = ("min_df", "max_df", "max_features")


def rules_of_vectorizer(vectorizer: Any) -> TextRules:
    """Return the rules by which a CountVectorizer, fitted or not, counts words.

    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> rules_of_vectorizer(CountVectorizer(min_df=2, ngram_range=(1, 2))).ngram_range
    (1, 2)
    """
    given = vectorizer.get_params(deep=False)
    kind = type(vectorizer).__name__
    if "min_df" not in given or "use_idf" in given:
        raise TypeError(f"text: {kind} does not give counts of words; give a CountVectorizer, or TextRules")
    if given["vocabulary"] is not None or given["binary"] or given["input"] != "content":
        raise ValueError(
            f"text: {kind} with vocabulary, binary or input cannot be used; count with it, and give counts"
        )
    frequencies = {name: given[name] for name in _FREQUENCIES}
    is_plain = given["analyzer"] == "word" and given["preprocessor"] is None and given["tokenizer"] is None
    if not is_plain or callable(given["strip_accents"]):
        return TextRules(analyzer=vectorizer.build_analyzer(), clean=None, language=None, **frequencies)
    return TextRules(clean=None, language=None, **{name: given[name] for name in _SAME}, **frequencies)
