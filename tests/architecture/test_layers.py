"""No module imports one of a layer above its own, and no modules import each other in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import topicgrove

SOURCES = Path(topicgrove.__file__).parent
ROOT = "topicgrove"

LAYERS = (
    # What the whole package may use
    "topicgrove choices console extras free_memory renamed shell whole_files workers",
    "validation",
    "communication display interrupts",
    # Arrays
    "kernels",
    "columns memory prior reporting",
    # Data
    "corpus words",
    "seeds",
    "assignments tree holding_out vectorizers",
    "comparing_page",
    "comparing",
    "topics",
    "state",
    # Drawing
    "sweeps plotting synthetic",
    "distributed published",
    "fitted",
    "samplers",
    "placement",
    "evaluation",
    # Training, and what shows a tree
    "training inference held_out explore",
    "adjust checks extend progress watch widget",
    "inputs",
    "plans",
    "persistence",
    "runs",
    "several_paths",
    "edit",
    # What users call
    "answers trained_documents tree_model warm_start",
    "fitted_model",
    "fitting",
    "nested_fitting resuming",
    "estimator",
    "demo nested_hdp suggesting",
    "cli",
    "__main__",
)
"""Packages and modules of topicgrove, from bottom to top; those in one layer do not import each other."""

EXCEPTIONS = {
    ("corpus.tokens", "corpus.store_writer"): "Corpus.save writes a store",
    ("tree.topic_tree", "plotting"): "TopicTree.plot draws a picture",
    ("tree.shares_over", "plotting"): "SharesOver.plot draws a picture",
    ("tree.topic_tree", "explore"): "TopicTree.explore writes a page",
}
"""Imports upwards that stay: methods of public classes which hand over to a layer above when they are called."""


class Import(NamedTuple):
    """One module imports another."""

    importer: str
    imported: str
    in_function: bool

    @property
    def is_exception(self) -> bool:
        return (self.importer, self.imported) in EXCEPTIONS

    def __str__(self) -> str:
        return f"{self.importer} imports {self.imported}"


@cache
def modules() -> dict[str, Path]:
    """The file of every module, by its name inside the package."""
    names = {path.relative_to(SOURCES).with_suffix(""): path for path in SOURCES.rglob("*.py")}
    dotted = {".".join(name.parts).removesuffix(".__init__"): path for name, path in names.items()}
    dotted[ROOT] = dotted.pop("__init__")
    return dotted


def home(module: str, name: str) -> str:
    """Return the module that ``from module import name`` needs, by its name inside the package."""
    if module == ROOT and name in topicgrove.__all__:
        # Names of the package are loaded from their homes on first use.
        module = topicgrove._HOMES.get(name, ("topicgrove.corpus", name))[0]
    full = f"{module}.{name}".removeprefix(f"{ROOT}.")
    return full if full in modules() else module.removeprefix(f"{ROOT}.")


def nodes(tree: ast.AST, in_function: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """All nodes that run, and whether they run when a function is called; not what only type checkers read."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node, in_function
        yield from nodes(node, in_function or isinstance(node, ast.FunctionDef | ast.Lambda))


def imports_of(source: str, importer: str) -> Iterator[Import]:
    """What a module imports out of the package."""
    for node, in_function in nodes(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] == ROOT]
            yield from (Import(importer, name.removeprefix(f"{ROOT}."), in_function) for name in names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{importer}: imports are absolute"
            if node.module and node.module.split(".")[0] == ROOT:
                for alias in node.names:
                    yield Import(importer, home(node.module, alias.name), in_function)


def imports() -> set[Import]:
    found = {each for name, path in modules().items() for each in imports_of(path.read_text(encoding="utf-8"), name)}
    return {each for each in found if each.importer != each.imported}


def unit(module: str) -> str:
    """The package or module directly below topicgrove."""
    return module.split(".")[0]


def heights() -> dict[str, int]:
    return {name: height for height, layer in enumerate(LAYERS) for name in layer.split()}


def is_upwards(each: Import, height: dict[str, int]) -> bool:
    importer, imported = unit(each.importer), unit(each.imported)
    return importer != imported and height[importer] <= height[imported]


def test_every_module_is_in_one_layer():
    listed = [name for layer in LAYERS for name in layer.split()]
    existing = {unit(name) for name in modules()}
    assert existing - set(listed) == set(), "LAYERS lacks these"
    assert set(listed) - existing == set(), "LAYERS has these, which do not exist"
    assert len(listed) == len(set(listed))


def test_no_module_imports_upwards():
    height = heights()
    assert [str(each) for each in sorted(imports()) if is_upwards(each, height) and not each.is_exception] == []


def test_no_modules_import_each_other_in_a_circle():
    graph: dict[str, set[str]] = {}
    for each in imports():
        if not each.is_exception:
            graph.setdefault(each.importer, set()).add(each.imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_exceptions_are_needed_and_happen_in_functions_alone():
    used = [each for each in imports() if each.is_exception]
    assert {(each.importer, each.imported) for each in used} == set(EXCEPTIONS)
    assert [str(each) for each in used if not each.in_function] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import topicgrove.training", [("training", False)]),
        ("from topicgrove.distributed import sync", [("distributed.sync", False)]),
        ("from topicgrove.state import State", [("state", False)]),
        ("from topicgrove import HierarchicalLDA, __version__", [("estimator", False), ("topicgrove", False)]),
        ("def f():\n    from topicgrove.cli import app", [("cli.app", True)]),
        ("if TYPE_CHECKING:\n    from topicgrove.cli import app\nimport numpy", []),
    ],
)
def test_imports_are_found_wherever_they_are(source, found):
    assert [tuple(each)[1:] for each in imports_of(source, "state")] == found


def test_an_import_upwards_would_be_noticed():
    height = heights()
    assert is_upwards(Import("state", "distributed.ids", True), height)
    assert is_upwards(Import("assignments", "tree", False), height), "a layer's modules do not import each other"
    assert not is_upwards(Import("distributed.ids", "state", False), height)
