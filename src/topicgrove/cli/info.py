"""``topicgrove info``: describe the installation and the machine, or a file."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from topicgrove import __version__
from topicgrove.cli import options
from topicgrove.cli.output import print_json, print_table

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "safetensors", "pyarrow", "pandas", "networkx")


def info(
    path: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A model, a folder of checkpoints or a corpus store.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Print versions and facts about the machine, or the facts of a model, of checkpoints or of a corpus store."""
    facts = installation() if path is None else describe(path)
    if as_json:
        print_json(facts)
    else:
        print_table({name: "-" if value is None else value for name, value in facts.items()})


def installation() -> dict[str, Any]:
    """Return versions, machine, cores, and the cache of compiled kernels."""
    from topicgrove.kernels.cache import directory, is_warm
    from topicgrove.workers import available_cores

    cache = directory()
    return {
        "topicgrove": __version__,
        "python": platform.python_version(),
        **{name: _version(name) for name in LIBRARIES},
        "machine": platform.platform(),
        "cores": available_cores(),
        "cache": None if cache is None else str(cache),
        "kernels_compiled": is_warm(),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def describe(path: Path) -> dict[str, Any]:
    """Return the facts of a model, of checkpoints or of a corpus store."""
    if not path.is_dir():
        return _of_model(path)
    if any(path.glob("checkpoint-*.safetensors")):
        return _of_checkpoints(path)
    from topicgrove import open_store
    from topicgrove.cli.corpus import facts

    if not (path / "manifest.json").exists():
        raise ValueError(f"{path}: neither checkpoints nor a corpus store are there")
    return {"kind": "corpus store"} | facts(open_store(path))


def _of_model(path: Path) -> dict[str, Any]:
    from topicgrove import load

    model = load(path)
    kind, own = _of_several_paths(model) if hasattr(model, "token_topics_") else _of_one_path(model)
    return {
        "kind": "model",
        "model": kind,
        "fingerprint": model.tree_.fingerprint,
        "n_topics": len(model.tree_),
        "n_topics_by_level": model.tree_.n_topics_per_level,
        "n_docs": len(model.paths_),
        "n_held_out": 0 if model.held_out_ is None else len(model.held_out_),
        "n_tokens": int(model.tree_.n_tokens.sum()),
        "n_words": model.n_features_in_,
        "iterations": len(model.history_),
        "log_joint": model.log_joint_,
        "seed": model.random_state,
        **own,
        "beta": model.hyper_parameters_.beta.tolist(),
        "rules": None if model.rules_ is None else model.rules_.to_dict(),
    }


def _of_one_path(model: Any) -> tuple[str, dict[str, Any]]:
    hyper = model.hyper_parameters_
    return "hlda", {
        "sampler": model.sampler_ or model.sampler,
        "alpha": hyper.alpha.tolist(),
        "log_gamma": hyper.log_gamma.tolist(),
    }


def _of_several_paths(model: Any) -> tuple[str, dict[str, Any]]:
    return "nhdp", {"grow": model.grow, "gamma": model.gamma}


def _of_checkpoints(path: Path) -> dict[str, Any]:
    from topicgrove.persistence.checkpoints import read_checkpoint

    checkpoint = read_checkpoint(path)
    last = checkpoint.history[-1] if checkpoint.history else {}
    sampler = {"sampler": checkpoint.parameters["sampler"]} if checkpoint.model == "hlda" else {}
    return {
        "kind": "checkpoints",
        "model": checkpoint.model,
        "iteration": checkpoint.iteration,
        "iterations": checkpoint.parameters["n_iter"],
        "n_topics_by_level": last.get("n_topics_per_level"),
        "seed": checkpoint.seed,
        **sampler,
        "corpus": str(path / checkpoint.corpus),
    }
