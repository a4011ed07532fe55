"""The corpus that comes with the package, from anywhere."""

from pathlib import Path

import pytest

from topicgrove import TextRules, load_example


def test_the_example_has_texts_titles_and_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    corpus = load_example()
    assert corpus.n_docs == 3000
    assert corpus.ids is not None
    assert corpus.titles is not None
    assert corpus.classes is not None
    assert corpus.vocabulary is not None
    assert "library" not in corpus.vocabulary


def test_options_and_rules_are_those_given() -> None:
    assert "library" in (load_example(max_df=1.0).vocabulary or ())
    assert "library" in (load_example(rules=TextRules()).vocabulary or ())
    assert load_example(titles=False).titles is None
