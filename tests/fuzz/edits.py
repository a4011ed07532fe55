"""Edits files, damaged or with any values; a model that accepts them stays consistent."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from numpy.testing import assert_array_equal

from topicgrove import HierarchicalLDA
from topicgrove.edit.edits import FIELDS
from topicgrove.fitted import count_words

from . import samples
from .cases import Target
from .damage import damaged
from .mutations import Random

VALUES: list[Any] = [0, 1, 2, 3, 4, 5, -1, 2**70, 1.0, True, None, "", "1", "moon", "\x1b[2J", "\ud800", "x" * 300,
                     [], [1, 2], [1, 1], [2, 3, 4], [[1]], {}, {"do": 1}]  # fmt: skip


@cache
def _tree() -> tuple[str, int]:
    tree = samples.model().tree_
    return tree.fingerprint, len(tree)


class Applied(NamedTuple):
    """A file of edits and the model that took them."""

    path: Path
    model: HierarchicalLDA


class Edits(Target):
    """`HierarchicalLDA.apply_edits`."""

    share = 6
    refusals = (ValueError,)

    def prepare(self) -> None:
        """Compile what splits and deletions need."""
        model = copy.copy(samples.model())
        model.split_topic(1, corpus=samples.corpus()) if len(model.tree_.children[1]) > 1 else None
        copy.copy(samples.model()).delete_topic(1, corpus=samples.corpus())

    def generate(self, rng: Random, folder: Path) -> Path:
        """A few edits with usual and odd values, or a damaged file of them."""
        fingerprint, n_topics = _tree()
        edits: list[Any] = []
        for _ in range(rng.integers(5)):
            do = list(FIELDS)[rng.integers(len(FIELDS))]
            edit: dict[str, Any] = {"do": do}
            for field in FIELDS[do]:
                usual: Any = int(rng.integers(n_topics))
                if field in ("topics", "children"):
                    usual = rng.integers(n_topics, size=rng.integers(4)).tolist()
                elif field == "name":
                    usual = "a name"
                edit[field] = usual if rng.random() < 0.85 else VALUES[rng.integers(len(VALUES))]
            edits.append(edit)
        made = {"format": "topicgrove-edits", "version": 1, "model": fingerprint, "edits": edits}
        if rng.random() < 0.1:
            name = list(made)[rng.integers(len(made))]
            made[name] = VALUES[rng.integers(len(VALUES))]
        data = json.dumps(made).encode()
        path = folder / "edits.json"
        path.write_bytes(damaged(rng, data) if rng.random() < 0.3 else data)
        return path

    def run(self, given: Path) -> Applied:
        """Apply them to a copy of the model."""
        model = copy.copy(samples.model())
        model.apply_edits(given, corpus=samples.corpus())
        return Applied(given, model)

    def check(self, given: Path, result: Applied) -> None:
        """Recount, save, and compare with what a second application gives."""
        model, corpus = result.model, samples.corpus()
        model.tree_.check()
        counts = count_words(corpus, model.paths_, model.token_levels_, len(model.tree_))
        assert_array_equal(counts.toarray(), model.tree_.word_counts.toarray())
        model.save(given.with_name("edited.grove"))
        again = copy.copy(samples.model())
        again.apply_edits(given, corpus=corpus)
        assert again.tree_.fingerprint == model.tree_.fingerprint

    def check_refusal(self, given: Path, error: Exception) -> None:
        """Check that the message has no control characters."""
        assert str(error).strip()
        assert str(error).isprintable(), repr(str(error))


TARGETS: dict[str, Target] = {"apply": Edits()}
