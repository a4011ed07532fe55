"""Trees and corpora work without importing Numba, which takes a second, or making folders for compiled kernels."""

import subprocess
import sys
from pathlib import Path

import pytest

TREE = """
import numpy as np
from topicgrove import TopicTree
tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
tree.check()
print(tree, tree.prune(min_docs=2), tree.to_json())
tree.print_tree()
"""
CORPUS = """
from topicgrove import Corpus, TextRules
corpus = Corpus.from_documents([[0, 2, 0], [1]])
print(corpus, corpus.take([1]), corpus.to_csr(), TextRules(min_df=2))
"""
COMPILED = """
import numpy as np
from topicgrove.kernels.changes import aggregate
aggregate(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int32))
"""


def run(program: str, folder: Path) -> tuple[str, list[Path]]:
    """Return whether Numba was imported, and the contents of the folder for compiled kernels."""
    ask = "import sys; sys.stderr.write(str('numba' in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\n{ask}"],
        env={"TOPICGROVE_CACHE_DIR": str(folder), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr, list(folder.glob("*"))


@pytest.mark.parametrize("program", ["import topicgrove", TREE, CORPUS], ids=["package", "tree", "corpus"])
def test_without_training_and_texts_nothing_is_compiled(program: str, tmp_path: Path) -> None:
    assert run(program, tmp_path) == ("False", [])


def test_kernels_would_be_noticed(tmp_path: Path) -> None:
    used, made = run(COMPILED, tmp_path)
    assert used.endswith("True")
    assert made
