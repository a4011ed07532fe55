"""Load models and corpus stores whose arrays and facts were changed under valid checksums, and use what is accepted.

``python -m tests.fuzz.load_mutations FOLDER SEED N`` tries N mutations.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from topicgrove import Corpus, HierarchicalLDA, load, open_store
from topicgrove.corpus.store import manifest_digest
from topicgrove.persistence import models
from topicgrove.persistence.parameters import to_json
from topicgrove.persistence.sealed import read_sealed, write_sealed

from .judging import judge_all
from .mutations import mutate_array, mutate_fact

SUBJECTS = (("moon", "orbit", "rocket", "news"), ("goal", "team", "match", "news"), ("café", "menu", "soup", "news"))
LONG_TEXT = "moon " + "a" * 1000 + "!"

OTHER_MODELS = {
    "parameters": "another choice of the user",
    "rules": "other rules for further texts",
    "history": "another past",
    "labels": "other labels",
    "named_features": "the words are names of columns, or are not",
    "vocabulary": "other words",
    "vocabulary.ends": "other words",
    "ids": "other names of documents",
    "ids.ends": "other names of documents",
    "titles": "other titles",
    "titles.ends": "other titles",
    "hyper.alpha": "another prior",
    "hyper.beta": "another prior",
    "hyper.log_gamma": "another prior",
    "counts": "words of a topic exchange their counts",
    "counts.words": "a topic has other words",
    "leaf": "documents with as many tokens on each level exchange their paths",
    "token_levels": "tokens of a document exchange their levels",
}
"""Entries that may change alone into those of another valid model."""

OTHER_CORPORA = {
    "words.bin": "other words",
    "offsets.bin": "the words are divided among documents in another way",
    "vocabulary.json": "other words",
    "ids.bin": "other names",
    "ids.offsets.bin": "other names",
    "titles.bin": "other titles",
    "titles.offsets.bin": "other titles",
    "labels.bin": "other labels",
    "labels.offsets.bin": "other labels",
    "rules": "other rules for further texts",
    "n_unknown_words": "another number of words left out",
}
"""Entries that may change alone into those of another valid corpus."""


def make_corpus() -> Corpus:
    rng = np.random.default_rng(0)
    rows = [
        {"id": f"doc-{d}", "text": " ".join(rng.choice(SUBJECTS[d % 3], 9)), "label": f"a/{d % 3}"} for d in range(24)
    ]
    texts = [row["text"] for row in rows]
    corpus = Corpus.from_texts(texts, ids=[row["id"] for row in rows], titles=True, stop_words=None, n_jobs=1)
    return corpus._with(classes=tuple(tuple(row["label"].split("/")) for row in rows))


class Model:
    """A model's file."""

    name = "model"

    def __init__(self, folder: Path) -> None:
        self.path, self.changed = folder / "model.grove", folder / "changed.grove"
        model = HierarchicalLDA(3, beta=0.3, gamma=0.5, n_iter=6, random_state=5).fit(make_corpus())
        model.tree_.set_names({0: "all", 1: "первый"})
        model.save(self.path)
        self.right = self.content(load(self.path))

    def content(self, model: HierarchicalLDA) -> str:
        tree, documents = model.tree_, model.tree_.documents
        arrays = (tree.parent, tree.level, tree.n_docs, tree.n_tokens, tree.word_counts.toarray(), model.paths_,
                  documents.level_counts, model.token_levels_, *model.hyper_parameters_)  # fmt: skip
        facts = (to_json(model.get_params()), model.history_, model.rules_, tree.names, tree.vocabulary, documents.ids,
                 documents.titles, model.n_features_in_, hasattr(model, "feature_names_in_"))  # fmt: skip
        return repr([array.tolist() for array in arrays]) + repr(facts)

    def places(self) -> list[tuple[str, str]]:
        facts, arrays = read_sealed(self.path, models.KIND, models.VERSION)
        # As many mutations of facts as of arrays.
        return [(self.path.name, name) for name in [*arrays, *facts, *facts, *facts]]

    def judge(self, file: str, name: str, rng: np.random.Generator) -> Iterator[str]:
        facts, arrays = read_sealed(self.path, models.KIND, models.VERSION)
        source: dict[str, Any] = arrays if name in arrays else facts
        what, source[name] = (mutate_array if name in arrays else mutate_fact)(rng, source[name])
        yield what
        write_sealed(self.changed, models.KIND, models.VERSION, facts, arrays)
        try:
            model = load(self.changed)
        except ValueError:
            yield "refused"
            return
        self.use(model)
        if self.content(model) == self.right:
            yield "same"
        else:
            yield "another" if name in OTHER_MODELS else "a wrong model"

    def use(self, model: HierarchicalLDA) -> None:
        """Place documents, and save and load once more."""
        model.tree_.check()
        with suppress(ValueError):
            # Refused where the rules lack their analyzer or have a pattern that might take forever.
            texts = Corpus.from_texts([LONG_TEXT], vocabulary=model.tree_.vocabulary, rules=model.rules_, n_jobs=1)
            assert np.allclose(model.transform(texts).sum(axis=1), 1)
        unnamed = Corpus.from_matrix(np.eye(model.n_features_in_, dtype=np.int64))
        assert np.allclose(model.transform(unnamed).sum(axis=1), 1)
        model.save(self.changed)
        assert self.content(load(self.changed)) == self.content(model)


class Store:
    """A corpus store."""

    name = "store"

    def __init__(self, folder: Path) -> None:
        self.path, self.changed = folder / "store", folder / "changed"
        make_corpus().save(self.path)
        self.right = self.content(open_store(self.path))

    def content(self, corpus: Corpus) -> str:
        columns = [list(column) for column in (corpus.ids, corpus.titles, corpus.classes, corpus.vocabulary)]
        numbers = (corpus.words.tolist(), corpus.offsets.tolist(), corpus.n_words, corpus.n_unknown_words)
        return repr((columns, numbers, corpus.rules))

    def places(self) -> list[tuple[str, str]]:
        manifest = json.loads((self.path / "manifest.json").read_text())
        files = [(name, name) for name in manifest["files"]] * 2
        return files + [("manifest.json", name) for name in manifest if name != "sha256"]

    def judge(self, file: str, name: str, rng: np.random.Generator) -> Iterator[str]:
        shutil.rmtree(self.changed, ignore_errors=True)
        shutil.copytree(self.path, self.changed)
        manifest = json.loads((self.path / "manifest.json").read_text())
        del manifest["sha256"]
        if file == "manifest.json":
            what, manifest[name] = mutate_fact(rng, manifest[name])
        else:
            what = self.mutate_file(self.changed / file, rng)
            data = (self.changed / file).read_bytes()
            manifest["files"][file] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        yield what
        with suppress(orjson.JSONDecodeError):
            manifest["sha256"] = manifest_digest(orjson.loads(json.dumps(manifest)))
        (self.changed / "manifest.json").write_text(json.dumps(manifest))
        try:
            corpus = open_store(self.changed)
        except ValueError:
            yield "refused"
            return
        content = self.content(corpus)
        self.use(corpus)
        if content == self.right:
            yield "same"
        else:
            yield "another" if name in OTHER_CORPORA else "a wrong corpus"

    def mutate_file(self, path: Path, rng: np.random.Generator) -> str:
        if path.suffix == ".json":
            what, value = mutate_fact(rng, json.loads(path.read_text(encoding="utf-8")))
            path.write_text(json.dumps(value), encoding="utf-8")
            return what
        dtype = np.int64 if "offsets" in path.name else np.int32 if path.name == "words.bin" else np.uint8
        what, array = mutate_array(rng, np.fromfile(path, dtype))
        array.tofile(path)
        return what

    def use(self, corpus: Corpus) -> None:
        """Train on it, and count its words."""
        model = HierarchicalLDA(2, n_iter=1, random_state=0).fit(corpus._with(rules=None))
        counted = np.asarray(model.topic_word_counts_.sum(axis=0))
        assert np.array_equal(counted, np.bincount(corpus.words, minlength=corpus.n_words))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    judge_all([Model(folder), Store(folder)], seed=int(sys.argv[2]), n_mutations=int(sys.argv[3]))
