"""Hugging Face datasets: read like data frames, with the names of their classes, in memory or as streams."""

from collections.abc import Iterator
from typing import Any

import pytest
from numpy.testing import assert_array_equal

from topicgrove import Corpus, HierarchicalLDA, build_store, open_store

datasets = pytest.importorskip("datasets")

TEXTS = ["moon orbit rocket moon", "orbit rocket launch", "goal team match", "team goal goal league"] * 6
NAMES = ["Sport", "Sci/Tech"]
CLASSES = [1, 1, 0, -1] * 6


def make(**columns: Any) -> Any:
    given = {"text": TEXTS, "label": CLASSES, "id": [f"d{i}" for i in range(24)], "n": list(range(24))} | columns
    features = datasets.Dataset.from_dict(given).features
    features["label"] = datasets.ClassLabel(names=NAMES)
    return datasets.Dataset.from_dict(given, features=features)


def rows() -> Iterator[dict[str, Any]]:
    for text, label in zip(TEXTS, CLASSES, strict=True):
        yield {"text": text, "label": label}


KINDS: dict[str, Any] = {
    "dataset": make,
    "chosen rows": lambda: datasets.concatenate_datasets([make(), make()]).select(range(24)),
    "pandas format": lambda: make().with_format("pandas"),
    "arrow format": lambda: make().with_format("arrow"),
    "stream": lambda: make().to_iterable_dataset(),
    "stream of pandas": lambda: make().to_iterable_dataset().with_format("pandas"),
    "stream without features": lambda: datasets.IterableDataset.from_generator(rows),
    "column": lambda: make()["text"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_fitted_and_places_documents(kind: str) -> None:
    settings: dict[str, Any] = {"n_levels": 3, "beta": 0.3, "gamma": 1.0, "n_iter": 5, "random_state": 0}
    expected = HierarchicalLDA(**settings).fit(TEXTS)
    model = HierarchicalLDA(**settings).fit(KINDS[kind]())
    assert model.tree_.vocabulary == expected.tree_.vocabulary
    assert_array_equal(model.paths_, expected.paths_)
    assert_array_equal(model.transform(KINDS[kind]()), expected.transform(TEXTS))
    assert_array_equal(model.predict_paths(KINDS[kind]()), expected.predict_paths(TEXTS))
    assert model.perplexity(KINDS[kind](), random_state=1) == expected.perplexity(TEXTS, random_state=1)
    assert len(model.partial_fit(KINDS[kind]()).paths_) == 48


@pytest.mark.parametrize("kind", ["dataset", "chosen rows", "pandas format", "stream"])
def test_classes_have_their_names_and_documents_their_ids(kind: str, tmp_path: Any) -> None:
    corpus = Corpus.from_texts(KINDS[kind](), class_field="label", titles=True)
    assert corpus.classes is not None
    assert corpus.ids == tuple(f"d{i}" for i in range(24))
    assert corpus.classes[:4] == (("Sci/Tech",), ("Sci/Tech",), ("Sport",), ())
    build_store(KINDS[kind](), tmp_path / "store", class_field="label", titles=True)
    stored = open_store(tmp_path / "store")
    assert stored.classes == corpus.classes
    assert stored.titles == corpus.titles
    assert_array_equal(stored.words, corpus.words)


def test_classes_may_be_lists_of_labels_or_strings() -> None:
    features = datasets.Features(
        {"text": datasets.Value("string"), "tags": datasets.Sequence(datasets.ClassLabel(names=NAMES))}
    )
    dataset = datasets.Dataset.from_dict({"text": ["tree", "leaf"], "tags": [[1, 0], []]}, features=features)
    assert Corpus.from_texts(dataset, class_field="tags").classes == (("Sci/Tech", "Sport"), ())
    strings = datasets.Dataset.from_dict({"text": ["tree"], "section": ["a/b"]})
    assert Corpus.from_texts(strings, class_field="section").classes == (("a", "b"),)


def test_fields_are_named_joined_and_found_inside_others() -> None:
    dataset = datasets.Dataset.from_dict({"title": ["Oak", "Ash"], "body": [{"text": "old tree"}, {"text": "leaf"}]})
    corpus = Corpus.from_texts(dataset, text_field="title,body.text")
    assert corpus.vocabulary == ("ash", "leaf", "oak", "old", "tree")
    with pytest.raises(ValueError, match=r"the dataset: no field 'text'; the fields are 'title', 'body'"):
        Corpus.from_texts(dataset)


@pytest.mark.parametrize("method", ["fit", "from_texts"])
def test_a_dict_of_splits_is_refused_by_their_names(method: str) -> None:
    splits = datasets.DatasetDict(train=make(), test=make())
    use = HierarchicalLDA().fit if method == "fit" else Corpus.from_texts
    with pytest.raises(TypeError, match=r"is a DatasetDict with the splits 'train', 'test'; .*\['train'\]"):
        use(splits)


def test_several_columns_of_strings_and_none_are_refused() -> None:
    two = datasets.Dataset.from_dict({"title": TEXTS, "body": TEXTS})
    with pytest.raises(ValueError, match=r"several columns of strings, 'title', 'body'.*X\['title'\]"):
        HierarchicalLDA().fit(two)
    with pytest.raises(ValueError, match=r"without a column of strings; it has 'n'"):
        HierarchicalLDA().fit(datasets.Dataset.from_dict({"n": [1, 2]}))


def test_a_single_column_of_strings_is_the_text_whatever_its_name() -> None:
    dataset = datasets.Dataset.from_dict({"review": TEXTS, "stars": list(range(24))})
    for given in (dataset, dataset.to_iterable_dataset()):
        model = HierarchicalLDA(2, n_iter=2, random_state=0).fit(given)
        assert model.tree_.vocabulary == Corpus.from_texts(TEXTS).vocabulary


def test_a_missing_text_is_named_by_its_row() -> None:
    with pytest.raises(ValueError, match=r"the dataset: row 1: text is None; it must be a string"):
        Corpus.from_texts(datasets.Dataset.from_dict({"text": ["tree", None]}))
    with pytest.raises(ValueError, match=r"the dataset: row 1: text is None"):
        HierarchicalLDA().fit(datasets.Dataset.from_dict({"text": ["tree", None]}))


def test_no_rows_are_no_documents() -> None:
    with pytest.raises(ValueError, match="no documents"):
        Corpus.from_texts(make().select([]))


class Stream:
    """A minimal stand-in for a dataset, if the library is not installed."""

    column_names = ("text", "year")
    features = None

    def with_format(self, kind: None) -> "Stream":
        return self

    def select_columns(self, names: list[str]) -> "Stream":
        assert names == ["text"]
        return self

    def iter(self, batch_size: int) -> Iterator[dict[str, list[str]]]:
        for first in range(0, 24, 5):
            yield {"text": TEXTS[first : first + 5]}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return ({"text": text, "year": 1} for text in TEXTS)


def test_whatever_looks_like_a_dataset_is_read_as_one() -> None:
    assert Corpus.from_texts(Stream()).n_docs == 24
    assert HierarchicalLDA(2, n_iter=2).fit(Stream()).paths_.shape == (24, 2)
