"""Resume checkpoints whose arrays and facts were changed and sealed again, and say what came of each.

``python -m tests.fuzz.resume_mutations FOLDER SEED N`` tries N mutations.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from topicgrove import HierarchicalLDA
from topicgrove.persistence import checkpoints, parts
from topicgrove.persistence.sealed import read_sealed, write_sealed

from ..distributed.thread_ranks import run_ranks
from .judging import judge_all
from .mutations import Array, mutate_array, mutate_fact

N_LEVELS, N_ITER = 3, 6
RUNS: dict[str, dict[str, Any]] = {
    "cgs": {"sampler": "cgs", "gamma": 0.5, "learn": ["alpha"], "early_stopping": 4, "random_state": 3},
    "pcgs": {"sampler": "pcgs", "collapse_below": 6, "target_topics": 12, "random_state": 4},
    "bgs": {"sampler": "bgs", "gamma": 1.0, "random_state": 5},
    "parts": {"sampler": "pcgs", "collapse_below": 6, "gamma": 0.5, "random_state": 6},
}

OTHER_STATES = {
    "leaf": "documents exchange their paths, or in parts take another one",
    "levels": "tokens are on other levels of their path; counts are made of them",
    "tree.parent": "topics with as many documents exchange their parents",
    "parent": "a topic hangs from another one of the level above",
    "tree.id": "topics are of another age, which decides between siblings with as many documents",
    "refreshes": "other random numbers for phi",
    "hyper.alpha": "another prior",
    "hyper.beta": "another prior",
    "hyper.log_gamma": "another prior, so small that log(gamma + m) is the same",
    "seed": "other random numbers",
    "parameters": "another choice of the user",
    "adjusters": "another memory of log joints or of the first gamma",
    "history": "another past",
}
"""What may be changed alone into what another run could have written; it then must be a state that holds together."""


def make_counts() -> Array:
    rng = np.random.default_rng(3)
    topics = rng.dirichlet(np.full(25, 0.1), 4)
    return np.array([rng.multinomial(20, topics[d % 4]) for d in range(48)])


def make_checkpoint(name: str, folder: Path, counts: Array) -> Path:
    directory = folder / name

    def fit(communicator: Any = None) -> None:
        settings: dict[str, Any] = {"n_iter": N_ITER, "init_iterations": 3, "checkpoint": directory} | RUNS[name]
        HierarchicalLDA(N_LEVELS, **settings).fit(counts, communicator=communicator)

    run_ranks(2, fit) if name == "parts" else fit()
    return directory


def resume(directory: Path) -> HierarchicalLDA:
    return HierarchicalLDA.resume(directory, n_iter=N_ITER + 2)


def outcome(model: HierarchicalLDA) -> list[Any]:
    tree = model.tree_
    return [tree.parent.tolist(), tree.n_docs.tolist(), model.paths_.tolist(), model.token_levels_.tolist(),
            tree.word_counts.toarray().tolist(), model.log_joint_]  # fmt: skip


def holds_together(arrays: dict[str, Array]) -> bool:
    """Whether a snapshot is a state: a plain count of its documents, one by one."""
    if "tree.parent" not in arrays:
        return True
    found: Counter[int] = Counter()
    for slot in arrays["leaf"].tolist():
        for _ in range(N_LEVELS):
            found[slot] += 1
            slot = int(arrays["tree.parent"][slot])
        if slot != 0:
            return False
    n_docs = dict(enumerate(arrays["tree.n_docs"].tolist()))
    return arrays["levels"].max() < N_LEVELS and all(found[slot] == n for slot, n in n_docs.items())


def is_sound(model: HierarchicalLDA, counts: Array) -> bool:
    """Whether a model's tree and counts belong to the documents."""
    model.tree_.check()
    words = np.asarray(model.topic_word_counts_.sum(axis=0))
    return np.array_equal(words, counts.sum(axis=0)) and np.isfinite(model.log_joint_)


class Checkpoints:
    """A directory of checkpoints, a file of which is changed, and what resuming it gives unchanged."""

    def __init__(self, name: str, folder: Path, counts: Array) -> None:
        self.name, self.counts = name, counts
        self.pristine = make_checkpoint(name, folder, counts)
        self.directory = folder / f"{name}-changed"
        self.copy()
        self.right = outcome(resume(self.directory))

    def copy(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)
        shutil.copytree(self.pristine, self.directory)

    def places(self) -> list[tuple[str, str]]:
        """(file, array or fact) of all that can be changed."""
        found = []
        for path in sorted(self.pristine.glob("*.safetensors")):
            sealed = read_sealed(path, *kind_of(path.name))
            found += [(path.name, name) for name in (*sealed.arrays, *sealed.facts)]
        return found

    def judge(self, file: str, name: str, rng: np.random.Generator) -> Iterator[str]:
        """What is done, then the verdict."""
        self.copy()
        path = self.directory / file
        kind = kind_of(file)
        facts, arrays = read_sealed(path, *kind)
        source: dict[str, Any] = arrays if name in arrays else facts
        what, source[name] = (mutate_array if name in arrays else mutate_fact)(rng, source[name])
        yield what
        write_sealed(path, *kind, facts, arrays)
        try:
            model = resume(self.directory)
        except ValueError:
            yield "refused"
        except OSError as error:
            # The corpus seems to be elsewhere.
            yield "refused" if name == "corpus" else f"{type(error).__name__}: {error}"
        else:
            yield self._verdict(model, name, arrays)

    def _verdict(self, model: HierarchicalLDA, name: str, arrays: dict[str, Array]) -> str:
        if outcome(model) == self.right:
            return "same"
        legal = name in OTHER_STATES and holds_together(arrays) and is_sound(model, self.counts)
        return "another" if legal else "a wrong tree"


def kind_of(file: str) -> tuple[str, int]:
    module: Any = parts if file.startswith("part") else checkpoints
    return module.KIND, module.VERSION


if __name__ == "__main__":
    counts = make_counts()
    targets = [Checkpoints(name, Path(sys.argv[1]), counts) for name in RUNS]
    judge_all(targets, seed=int(sys.argv[2]), n_mutations=int(sys.argv[3]))
