"""From texts to a page for the browser, by every command, in a process that imitates another system."""

import importlib
import json
import os
import pkgutil
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

THEMES = (
    "forest tree leaf root bark 森林 дерево 🌲",
    "sea wave salt fish boat 海洋 море größe",
    "star moon orbit light dust 星 звезда naïve",
)


def import_everything() -> None:
    """Import all modules, but not the one that starts MPI, and that which runs a command."""
    import topicgrove

    for module in pkgutil.walk_packages(topicgrove.__path__, "topicgrove."):
        if module.name not in ("topicgrove.communication.mpi", "topicgrove.__main__"):
            importlib.import_module(module.name)


def forget_topicgrove() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "topicgrove"]:
        del sys.modules[name]


def run(*arguments: object) -> None:
    from topicgrove.cli import main

    try:
        main([str(argument) for argument in arguments])
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"{arguments}: exit code {end.code}") from end


def write_texts(path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\r\n") as file:
        for i in range(60):
            words = THEMES[i % 3].split()
            text = " ".join(words[(i + k) % len(words)] for k in range(6))
            file.write(json.dumps({"id": f"d{i}", "text": text, "label": f"theme {i % 3}"}) + "\n")


def by_command() -> None:
    run("corpus", "build", "texts.jsonl", "-o", "a folder", "--min-df", 1, "--class-field", "label", "--quiet")
    run("corpus", "build", "texts.jsonl", "-o", "a folder", "--min-df", 1, "--overwrite")
    run("corpus", "info", "a folder")
    fit = ("fit", "a folder", "-o", "a model.grove", "--seed", 1, "--threads", 2, "--levels", 3)
    run(*fit, "--iterations", 6, "--checkpoint", "run", "--checkpoint-every", 2, "--watch")
    run("resume", "run", "-o", "a model.grove", "--iterations", 8, "--threads", 2)
    run("show", "a model.grove")
    run("top-words", "a model.grove")
    run("infer", "a model.grove", "texts.jsonl", "-o", "placed.csv")
    run("evaluate", "a model.grove", "texts.jsonl", "--class-field", "label")
    run("export", "a model.grove", "-o", "tree.json")
    run("explore", "a model.grove", "-o", "tree.html", "--corpus", "texts.jsonl")
    run("info")
    run("info", "run")


def by_api(texts: list[str]) -> None:
    from topicgrove import HierarchicalLDA, load, open_store

    model = HierarchicalLDA(3, n_iter=4, n_jobs=2, random_state=0, checkpoint="again").fit(texts)
    model.save("again.grove")
    loaded = load("again.grove")
    loaded.save("again.grove")
    loaded.tree_.print_tree()
    assert len(HierarchicalLDA.resume("again", n_iter=6).history_) == 6
    corpus = open_store("a folder")
    Path("a part").mkdir()
    corpus.take(range(30)).save("a part")
    corpus.take(range(20)).save("a part", overwrite=True)
    assert open_store("a part").n_docs == 20


def only_one_run_has_a_folder(corpus: Any) -> None:
    from topicgrove.persistence.checkpoints import Checkpointer

    with Checkpointer("again", corpus, {}, every=1), pytest.raises(BlockingIOError) as refused:
        Checkpointer("again", corpus, {}, every=1)
    assert refused.value.filename == "again"


def a_store_that_is_mapped_stays(windows: bool) -> None:
    """Windows refuses to move files that are open: the old store must still be there, and nothing else."""
    from topicgrove import open_store

    mapped = open_store("a part")
    before = sorted(os.listdir("."))
    with pytest.raises(PermissionError) if windows else nullcontext():
        mapped.save("a part", overwrite=True)
    assert sorted(os.listdir(".")) == before
    assert open_store("a part").n_docs == 20


def journey(system: str) -> None:
    """Run everything in the working directory, which must be empty."""
    # What others do on the real system is their business: they are imported before this process changes.
    import_everything()
    forget_topicgrove()
    importlib.import_module(system).become()
    warnings.filterwarnings("error", category=EncodingWarning, module=r"topicgrove(\.|$)")
    import_everything()

    write_texts(Path("texts.jsonl"))
    by_command()
    by_api([json.loads(line)["text"] for line in Path("texts.jsonl").read_bytes().splitlines()])

    from topicgrove import open_store
    from topicgrove.free_memory import free_memory

    only_one_run_has_a_folder(open_store("again/corpus"))
    a_store_that_is_mapped_stays(system == "windows")
    print("free memory:", free_memory())
    print("left over:", [str(path) for path in Path().rglob("*.tmp")])


if __name__ == "__main__":
    journey(sys.argv[1])
