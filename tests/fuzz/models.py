"""Model files with arbitrary contents; if they load, they are valid models and survive saving."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from numpy.testing import assert_array_equal

from topicgrove import CorruptModelError, HierarchicalLDA, load
from topicgrove.persistence import models

from . import resealing, samples
from .cases import Target
from .mutations import Random
from .parameters import check_model


class Changed(NamedTuple):
    """A file and what was done to it."""

    what: str
    path: Path
    is_same: bool


class Models(Target):
    """`topicgrove.load`."""

    share = 7
    refusals = (CorruptModelError,)

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def prepare(self) -> None:
        """Compile what answers need."""
        check_model(samples.model())

    def generate(self, rng: Random, folder: Path) -> Changed:
        """Change a model file."""
        data = samples.model_file()
        what, changed = resealing.CHANGES[self._kind](rng, data, models.KIND, models.VERSION)
        path = folder / "model.grove"
        path.write_bytes(changed)
        return Changed(what, path, changed == data)

    def run(self, given: Changed) -> HierarchicalLDA:
        """Load it."""
        return load(given.path)

    def check(self, given: Changed, result: HierarchicalLDA) -> None:
        """Check that it answers, prints, and stays the same when saved and loaded."""
        assert self._kind != "raw" or given.is_same, "a damaged file was loaded"
        answers = check_model(result, same_corpus=False)
        tree = result.tree_
        tree.to_json()
        tree.to_csv()
        tree.print_tree()
        result.save(given.path.with_name("again.grove"))
        again = load(given.path.with_name("again.grove"))
        assert_array_equal(again.paths_, result.paths_)
        assert_array_equal(again.token_levels_, result.token_levels_)
        assert_array_equal(again.topic_word_counts_.toarray(), result.topic_word_counts_.toarray())
        assert (again.tree_.vocabulary, again.tree_.names) == (tree.vocabulary, tree.names)
        assert (again.history_, again.rules_, again.log_joint_) == (result.history_, result.rules_, result.log_joint_)
        if answers.proportions is not None:
            assert_array_equal(check_model(again, same_corpus=False).proportions, answers.proportions)

    def check_refusal(self, given: Changed, error: Exception) -> None:
        """Check that the message names the file."""
        assert given.path.name in str(error), f"no file in {error}"


TARGETS: dict[str, Target] = {kind: Models(kind) for kind in resealing.CHANGES}
