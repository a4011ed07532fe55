"""Words of other languages are marked where they occur in a text."""

import pytest

from topicgrove import TextRules
from topicgrove.explore.passages import _words_in


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "L'École, qu'il aime", [("École", "école"), ("il", "il"), ("aime", "aime")]),
        ("ar", "والكتاب", [("كتاب", "كتاب")]),
        ("hi", "हिन्दी में", [("हिन्दी", "हिन्दी"), ("में", "में")]),
        ("zh-x-bigrams", "用数据Ab", [("用数", "用数"), ("Ab", "ab")]),
        (None, "Old trees", [("Old", "old"), ("trees", "trees")]),
    ],
)
def test_words_are_found_where_they_stand(language, text, expected):
    found = [(text[begin:end], word) for begin, end, word in _words_in(text, TextRules(language=language))]
    assert found == expected
