"""CONTRIBUTING.md is right: a new sampler, strategy, export, metric or format takes one file and one line in a
table."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import topicgrove
from tests.distributed.thread_ranks import ThreadCommunicator, run_ranks
from topicgrove import HierarchicalLDA, NestedHDP, choices
from topicgrove.cli import export
from topicgrove.cli.app import app
from topicgrove.corpus import Corpus, format_table, read_corpus
from topicgrove.corpus.documents import Blocks, Documents, Fields
from topicgrove.corpus.textfiles import FilePath
from topicgrove.distributed import sync
from topicgrove.distributed.bsp import BulkSynchronous
from topicgrove.evaluation import report
from topicgrove.evaluation.measured import Measured
from topicgrove.samplers.base import SamplerSettings
from topicgrove.samplers.collapsed import CollapsedGibbs
from topicgrove.state import State
from topicgrove.tree import TopicTree

if TYPE_CHECKING:
    from topicgrove.distributed.shared_sweep import SharedSweep

TEXTS = ["moon rocket orbit", "rocket orbit", "goal team match", "team match"] * 3


class CountingSampler(CollapsedGibbs):
    """Counts its refreshes."""

    name = "counting"
    n_refreshes = 0

    @classmethod
    def of(cls, settings: SamplerSettings) -> CountingSampler:
        return cls()

    def refresh(self, state: State) -> None:
        CountingSampler.n_refreshes += 1
        super().refresh(state)


class CountingSync(BulkSynchronous):
    """Counts its sweeps."""

    n_sweeps = 0

    def sweep(self, shared: SharedSweep) -> None:
        CountingSync.n_sweeps += 1
        super().sweep(shared)


def levels_file(tree: TopicTree, words: int, by: str) -> str:
    return f"{tree.n_levels} levels, {words} {by} words\n"


def n_leaves(measured: Measured) -> dict[str, Any]:
    parents = set(measured.tree.parent.tolist())
    return {"n_leaves": sum(topic not in parents for topic in range(len(measured.tree)))}


def slashed(path: FilePath, fields: Fields, max_bytes: int) -> Blocks:
    def parse() -> Documents:
        documents = Documents()
        for text in Path(path).read_text("utf-8").removeprefix("SLSH").split("/"):
            documents.add_text(text, fields, lambda: str(path))
        return documents

    yield parse


def two_documents(path: FilePath, *, max_bytes: int) -> Corpus:
    return Corpus.from_documents([[0, 1], [1]])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "a.model"
    HierarchicalLDA(n_levels=2, n_iter=3, random_state=0).fit(TEXTS).save(path)
    return path


def test_a_sampler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(choices.SAMPLERS, "counting", f"{__name__}:CountingSampler")
    model = HierarchicalLDA(n_levels=2, sampler="counting", n_iter=3, random_state=0).fit(TEXTS)
    assert model.sampler_ == "counting"
    assert CountingSampler.n_refreshes >= 3
    model.save(tmp_path / "a.model")
    assert topicgrove.load(tmp_path / "a.model").sampler_ == "counting"


def test_a_sync_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sync.SYNCS, "counting", CountingSync())
    corpus = Corpus.from_texts(TEXTS)

    def fit(comm: ThreadCommunicator) -> None:
        model = HierarchicalLDA(n_levels=2, init="none", n_iter=3, sync="counting", random_state=0)
        model.fit(corpus, communicator=comm)

    run_ranks(2, fit)
    assert CountingSync.n_sweeps == 3 * 2


def test_an_export(monkeypatch: pytest.MonkeyPatch, model: Path, tmp_path: Path) -> None:
    monkeypatch.setitem(export.EXPORTS, ".levels", export.Export("levels", f"{__name__}:levels_file"))
    file = tmp_path / "tree.levels"
    result = CliRunner().invoke(app, ["export", str(model), "-o", str(file), "--words", "3"])
    assert result.exit_code == 0, result.output
    assert file.read_text() == "2 levels, 3 distinctive words\n"


def test_a_metric(monkeypatch: pytest.MonkeyPatch, model: Path, tmp_path: Path) -> None:
    monkeypatch.setattr(report, "METRICS", [*report.METRICS, n_leaves])
    (tmp_path / "docs.txt").write_text("\n".join(TEXTS))
    command = ["evaluate", str(model), str(tmp_path / "docs.txt"), "--no-perplexity"]
    result = CliRunner().invoke(app, [*command, "--json"])
    assert result.exit_code == 0, result.output
    expected = topicgrove.load(model).tree_.n_topics_per_level[1]
    assert json.loads(result.stdout)["n_leaves"] == expected
    assert re.search(rf"^n_leaves +{expected}$", CliRunner().invoke(app, command).stdout, re.MULTILINE)


@pytest.mark.parametrize("given", [None, "slashed"])
@pytest.mark.parametrize("name", ["garden.slashed", "garden"])
def test_a_format_of_texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, given: str | None) -> None:
    """The name, the first bytes or the user determine the format."""
    entry = format_table.FileFormat(f"{__name__}:slashed", "texts", "file", (".slashed",), b"SLSH")
    monkeypatch.setitem(format_table.FORMATS, "slashed", entry)
    (tmp_path / name).write_text("SLSHold tree/old leaves")
    assert read_corpus(tmp_path / name, format=given).vocabulary == ("leaves", "old", "tree")


def test_a_format_of_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entry = format_table.FileFormat(f"{__name__}:two_documents", "counts", "file", (".two",))
    monkeypatch.setitem(format_table.FORMATS, "two", entry)
    (tmp_path / "a.two").touch()
    assert read_corpus(tmp_path / "a.two").n_tokens == 3
    with pytest.raises(ValueError, match="holds counts"):
        read_corpus(tmp_path / "a.two", min_df=2)


@pytest.mark.parametrize(
    ("documented", "parameter", "names"),
    [
        (HierarchicalLDA, "sampler", ("auto", *choices.SAMPLERS)),
        (HierarchicalLDA, "sampler_", tuple(choices.SAMPLERS)),
        (HierarchicalLDA, "init", choices.INITS),
        (HierarchicalLDA, "sync", tuple(sync.SYNCS)),
        (NestedHDP, "init", ("branches", "hlda", "none")),
    ],
)
def test_docstrings_list_the_choices(documented: type, parameter: str, names: tuple[str, ...]) -> None:
    (listed,) = re.findall(rf"^    {parameter} : {{(.*?)}}", documented.__doc__ or "", re.MULTILINE)
    assert listed == ", ".join(f'"{name}"' for name in names)


def test_formats_are_listed_where_they_are_documented() -> None:
    listed = re.findall(
        r'"([a-z-]+)"', re.search(r"if neither name.*?\n    rules", read_corpus.__doc__ or "", re.DOTALL)[0]
    )
    assert tuple(listed) == format_table.names_of_formats("stream", "file")
