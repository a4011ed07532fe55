"""Shared parts of ``fit`` and ``resume``: progress, saving the model even after errors, and the summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicgrove.cli.next_steps import Command, lines_of, quoted
from topicgrove.cli.output import print_json, report
from topicgrove.console import tell

if TYPE_CHECKING:
    from topicgrove.inputs import Model
    from topicgrove.training import Callback
    from topicgrove.watch import LivePage


@contextmanager
def watched(watch: bool, port: int | None, title: str) -> Iterator[LivePage | None]:
    """Serve a page inside the block, if the user wants one, and print its address on standard error."""
    if not watch:
        if port is not None:
            raise ValueError("--port is the port of the page that --watch serves: give both, or neither")
        yield None
        return
    from topicgrove.watch import LivePage, serve

    page = LivePage(title)
    with serve(page, port) as url:
        report(f"watch the tree grow at {url}")
        yield page


def run_and_save(
    model: Model,
    train: Callable[[], object],
    output: Path,
    checkpoint: Path | None,
    quiet: bool,
    followers: Iterable[Callback] = (),
) -> None:
    """Train a model and save it, even if training ends early."""
    from topicgrove.progress import shown

    try:
        with shown(quiet) as callbacks:
            model.set_params(callbacks=[*callbacks, *followers])
            train()
    except BaseException:
        if hasattr(model, "tree_"):
            _save_so_far(model, output, checkpoint)
        raise
    # Only the first of several processes has the model.
    if hasattr(model, "tree_"):
        model.save(output)


def _save_so_far(model: Model, output: Path, checkpoint: Path | None) -> None:
    model.save(output)
    how = f"; go on with: topicgrove resume {quoted(checkpoint)} -o {quoted(output)}" if checkpoint else ""
    report(f"the model after {len(model.history_)} of {model.n_iter} sweeps is in {output}{how}")


def check_no_checkpoints(directory: Path | None, output: Path) -> None:
    """Raise ValueError if a directory has checkpoints, which would mix with a new run's."""
    if directory is not None and any(directory.glob("checkpoint-*.safetensors")):
        raise ValueError(
            f"{directory} has checkpoints of an earlier run; choose another directory, "
            f"or go on with: topicgrove resume {quoted(directory)} -o {quoted(output)}"
        )


def print_summary(
    model: Model,
    output: Path,
    checkpoint: Path | None,
    commands: list[Command],
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    """Print the locations of files on standard output and, for people, next steps on standard error."""
    tree = model.tree_
    facts = {
        "model": str(output),
        "checkpoint": None if checkpoint is None else str(checkpoint),
        "n_topics": len(tree),
        "n_topics_by_level": tree.n_topics_per_level,
        "n_docs": len(model.paths_),
        "n_tokens": int(tree.n_tokens.sum()),
        "n_words": model.n_features_in_,
        "iterations": len(model.history_),
        "log_joint": model.log_joint_,
        "agreement": getattr(model, "agreement_", None),
        "n_held_out": 0 if model.held_out_ is None else len(model.held_out_),
        "held_out_perplexity": next(_perplexities(model), None),
        "sampler": getattr(model, "sampler_", None),
        "seed": model.random_state,
    }
    if as_json:
        print_json(facts)
    elif not quiet:
        print("\n".join(_last_words(facts, output, checkpoint)), flush=True)
        tell("\n".join(["What to do next:", *lines_of(commands)]))


def _perplexities(model: Model) -> Iterator[float]:
    """Yield the perplexities of held-out documents, the latest first."""
    return (row["perplexity"] for row in reversed(model.history_) if row.get("perplexity") is not None)


def _last_words(facts: dict[str, Any], output: Path, checkpoint: Path | None) -> list[str]:
    levels = facts["n_topics_by_level"]
    sampler = "" if facts["sampler"] is None else f"sampler {facts['sampler']}, "
    lines = [
        f"{facts['n_topics']} topics on {len(levels)} levels ({'-'.join(map(str, levels))}) after "
        f"{facts['iterations']} sweeps, {sampler}log joint {facts['log_joint']:,.0f}, seed {facts['seed']}",
    ]
    if facts["agreement"] is not None:
        lines.append(f"agreement on level 1 between seeds: about {facts['agreement']:.2f}")
    if facts["held_out_perplexity"] is not None:
        documents = f"{facts['n_held_out']:,} documents held out" if facts["n_held_out"] else "held-out documents"
        lines.append(f"perplexity of {documents}: {facts['held_out_perplexity']:,.0f}")
    where = f"The model is in {quoted(output)}"
    return [*lines, where + (f", checkpoints are in {quoted(checkpoint)}" if checkpoint else "")]
