"""Private names of Numba are used in one module only, exist, and do what kernels rely on."""

import ast
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import numba
import numpy as np
import pytest

import topicgrove
from topicgrove.kernels.numba_private import WITHOUT_REFERENCE_COUNTS, config

SOURCES = Path(topicgrove.__file__).parent
PUBLIC = {"numba", "numba.extending"}

needs_compilation = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_one_module_alone_looks_inside_numba():
    private = {
        path.name
        for path in SOURCES.rglob("*.py")
        for name in imported(path)
        if name.split(".")[0] in ("numba", "llvmlite") and name not in PUBLIC
    }
    assert private == {"numba_private.py"}


def test_numba_is_a_version_that_the_private_names_were_tried_with(requirements):
    (bounds,) = (requirement.specifier for requirement in requirements[""] if requirement.name == "numba")
    assert any(bound.operator == "<" for bound in bounds)
    assert version("numba") in bounds


def double(values):
    for i in range(len(values)):
        values[i] *= 2


@needs_compilation
def test_compiled_code_goes_to_the_cache_directory(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    compiled = numba.njit(cache=True)(double)
    monkeypatch.undo()
    compiled(np.ones(3))
    assert [path.suffix for path in sorted(tmp_path.rglob("*double*"))] == [".nbc", ".nbi"]


@needs_compilation
def test_functions_without_reference_counts_cannot_allocate():
    with pytest.raises(numba.TypingError, match="Only accept returning of array passed"):
        numba.njit(**WITHOUT_REFERENCE_COUNTS)(lambda n: np.zeros(n))(3)
    values = np.ones(3)
    compiled = numba.njit(**WITHOUT_REFERENCE_COUNTS)(double)
    compiled(values)
    assert values.tolist() == [2, 2, 2]
