"""Python calls kernels but not their parts: without wrappers, parts compile faster."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import topicgrove
from topicgrove import HierarchicalLDA

SOURCES = Path(topicgrove.__file__).parent

FIT = """
import numpy as np
from topicgrove import HierarchicalLDA
X = np.random.default_rng(2).poisson(0.8, (12, 15))
model = HierarchicalLDA(3, beta=[1.0, 0.5, 0.2], gamma=1.0, n_iter=4, init_iterations=2, random_state=5).fit(X)
print(repr(model.log_joint_))
"""


def decorated(*decorators: str) -> set[tuple[str, str]]:
    """Module and name of every function in the kernels with one of these decorators."""
    found = set()
    for path in (SOURCES / "kernels").glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                names = {name.id for name in node.decorator_list if isinstance(name, ast.Name)}
                if names & set(decorators):
                    found.add((path.stem, node.name))
    return found


def imported() -> Iterator[tuple[str, str]]:
    """Module and name of everything that the rest of the package takes from the kernels."""
    for path in SOURCES.rglob("*.py"):
        if path.parent.name == "kernels":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("topicgrove.kernels."):
                yield from ((str(node.module).rsplit(".", 1)[1], alias.name) for alias in node.names)


def test_python_calls_kernels_and_no_part_of_them() -> None:
    kernels, parts = decorated("kernel"), decorated("part", "exact_part", "inlined")
    assert ("sweep", "sweep") in kernels
    assert ("gibbs_step", "choose_path") in parts
    assert parts.isdisjoint(imported())
    assert kernels == kernels & set(imported()), "a kernel that nothing calls should be a part"


def test_a_fit_without_wrappers_for_parts_gives_the_same(compiled: bool) -> None:
    if not compiled:
        pytest.skip("only compiled parts have wrappers")
    environment = {name: value for name, value in os.environ.items() if name != "TOPICGROVE_CALL_PARTS"}
    command = [sys.executable, "-c", FIT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    X = np.random.default_rng(2).poisson(0.8, (12, 15))
    model = HierarchicalLDA(3, beta=[1.0, 0.5, 0.2], gamma=1.0, n_iter=4, init_iterations=2, random_state=5).fit(X)
    assert done.stdout.strip() == repr(model.log_joint_)
