"""Words are numbered as by a plain Python dictionary, however often the table grows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicgrove.corpus import dictionary as module
from topicgrove.corpus.counting import renumber
from topicgrove.corpus.dictionary import Dictionary

IS_WORD = np.array([chr(byte).isalpha() and byte < 128 for byte in range(256)])

documents = st.lists(st.lists(st.text("abc", min_size=1, max_size=6), max_size=12), max_size=8)


def as_bytes(docs):
    parts = [" ".join(words).encode() + b" " for words in docs]
    return b"".join(parts), np.cumsum([len(part) for part in parts], dtype=np.int64)


def numbered(docs, words):
    return [[words.setdefault(word, len(words)) for word in doc] for doc in docs]


def small_dictionary(monkeypatch_context):
    monkeypatch_context.setattr(module, "_FIRST_CAPACITY", 2)
    monkeypatch_context.setattr(module, "_LETTERS_PER_WORD", 1)
    return Dictionary()


@given(documents, documents)
def test_words_are_numbered_in_the_order_of_their_first_use(first, second):
    with pytest.MonkeyPatch.context() as patch:
        words = small_dictionary(patch)
    expected = {}
    for docs in (first, second):
        tokens, lengths = words.number(*as_bytes(docs), IS_WORD, 1)
        assert tokens.tolist() == [word for doc in numbered(docs, expected) for word in doc]
        assert lengths.tolist() == [len(doc) for doc in docs]
    assert words.spelled(range(len(words))) == list(expected)
    every = first + second
    assert words.n_docs.tolist() == [sum(word in doc for doc in every) for word in expected]
    assert words.n_tokens.tolist() == [sum(doc.count(word) for doc in every) for word in expected]


@given(documents, documents)
def test_absorbed_words_keep_their_counts(first, second):
    with pytest.MonkeyPatch.context() as patch:
        one, other, both = small_dictionary(patch), small_dictionary(patch), small_dictionary(patch)
    one.number(*as_bytes(first), IS_WORD, 1)
    other.number(*as_bytes(second), IS_WORD, 1)
    spelled = other.spelled(range(len(other)))
    numbers = one.absorb(other)
    assert one.spelled(numbers) == spelled
    both.number(*as_bytes(first + second), IS_WORD, 1)
    assert one.n_docs.tolist() == both.n_docs.tolist()
    assert one.n_tokens.tolist() == both.n_tokens.tolist()


@given(st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=5))
def test_words_are_mapped_sorted_and_left_out_inside_their_documents(docs):
    ids = np.array([2, -1, 0, 1, -1], np.int32)
    lengths = np.array([len(doc) for doc in docs], np.int64)
    words, kept = renumber(np.array([word for doc in docs for word in doc], np.int32), lengths, ids)
    expected = [sorted(int(ids[word]) for word in doc if ids[word] >= 0) for doc in docs]
    assert words.tolist() == [word for doc in expected for word in doc]
    assert kept.tolist() == [len(doc) for doc in expected]


def test_words_shorter_than_the_least_length_are_skipped():
    words = Dictionary()
    tokens, lengths = words.number(b"a bc d efg", np.array([10]), IS_WORD, 2)
    assert words.spelled(tokens) == ["bc", "efg"]
    assert lengths.tolist() == [2]
