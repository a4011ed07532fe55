"""The models that ``fit`` can train: which options each has, and their conversion for the library."""

from __future__ import annotations

import math
from collections.abc import Collection
from pkgutil import resolve_name
from typing import Any

from topicgrove.choices import MODELS
from topicgrove.cli import options

RENAMED = {"levels": "n_levels", "iterations": "n_iter", "seed": "random_state"}
BOTH = (
    "init",
    "init_iterations",
    "sampler",
    "sync",
    "checkpoint",
    "checkpoint_every",
    "checkpoint_minutes",
)
ONE_PATH = (
    "max_topics",
    "min_docs",
    "n_init",
    "refine",
)
SEVERAL_PATHS = ("min_tokens", "learn_after", "grow", "child_weight")
ONLY = {
    "hlda": (*ONE_PATH, "seeds", "alpha", "early_stopping"),
    "nhdp": SEVERAL_PATHS,
}
"""Options of ``fit`` that a single model has."""


def new_model(params: dict[str, Any], given: Collection[str]) -> Any:
    """Make the model that ``fit`` trains, after checking its parameters; ``given`` are the options that the user gave.

    Options of another model are refused by their names.
    """
    name = params["model"]
    check_options(name, given)
    parameters = one_path_parameters(params) if name == "hlda" else several_paths_parameters(params, given)
    model = resolve_name(MODELS[name].estimator)(**parameters)
    if name == "hlda":
        check_prior(parameters)
        check_seeds(parameters)
    else:
        resolve_name(MODELS[name].check)(model)
    return model


def check_options(model: str, given: Collection[str]) -> None:
    """Raise ValueError for an option that only another model has.

    >>> check_options("nhdp", ["levels", "refine"])
    Traceback (most recent call last):
    ValueError: --refine is an option of --model hlda alone; this is --model nhdp
    """
    for other, names in ONLY.items():
        foreign = [name for name in names if name in given]
        if other != model and foreign:
            option = foreign[0].replace("_", "-")
            raise ValueError(f"--{option} is an option of --model {other} alone; this is --model {model}")


def one_path_parameters(params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters of HierarchicalLDA, from those of the command."""
    parameters = {new: params[old] for old, new in RENAMED.items()} | {
        name: params[name] for name in (*BOTH, *ONE_PATH)
    }
    parameters |= _numbers(params, ("alpha", "beta", "gamma")) | _learn(params) | _threshold(params)
    parameters |= _targets(params)
    if params["early_stopping"] is not None:
        parameters["early_stopping"] = params["early_stopping"]
    if params["seeds"] is not None:
        from topicgrove.seeds.files import read_seed_file

        parameters["seeds"] = read_seed_file(params["seeds"])
    return parameters | {"n_jobs": options.n_jobs(params["threads"])}


def several_paths_parameters(params: dict[str, Any], given: Collection[str]) -> dict[str, Any]:
    """Return parameters of NestedHDP: those that the user gave, as it has other defaults, the seed and the threads."""
    parameters = {new: params[old] for old, new in RENAMED.items() if old in given or old == "seed"}
    parameters |= {name: params[name] for name in (*BOTH, *SEVERAL_PATHS) if name in given}
    parameters |= _numbers(params, ("beta", "gamma")) | _learn(params)
    if "collapse_below" in given:
        parameters |= _threshold(params)
    parameters |= _targets(params)
    return parameters | {"n_jobs": options.n_jobs(params["threads"])}


def check_prior(parameters: dict[str, Any]) -> None:
    """Raise ValueError for an invalid prior before the documents are read."""
    from topicgrove.prior import HyperParameters

    alpha, beta, gamma = (parameters.get(name) for name in ("alpha", "beta", "gamma"))
    HyperParameters.of(parameters["n_levels"], alpha, beta, gamma)


def check_seeds(parameters: dict[str, Any]) -> None:
    """Raise ValueError for seeds that are deeper than the tree before the documents are read."""
    if parameters.get("seeds") is not None:
        from topicgrove.seeds.taxonomy import check_depth, read_taxonomy

        check_depth(read_taxonomy(parameters["seeds"]), parameters["n_levels"])


def _numbers(params: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    parsed = {name: options.numbers(name, params[name]) for name in names if params[name] is not None}
    return {name: values[0] if len(values) == 1 else values for name, values in parsed.items()}


def _threshold(params: dict[str, Any]) -> dict[str, Any]:
    threshold = params["collapse_below"]
    is_whole = threshold is not None and not math.isinf(threshold) and threshold % 1 == 0
    return {"collapse_below": int(threshold) if is_whole else threshold}


def _targets(params: dict[str, Any]) -> dict[str, Any]:
    if params["target_topics"] is None:
        return {}
    numbers = options.numbers("--target-topics", params["target_topics"], whole=True)
    return {"target_topics": numbers[0] if len(numbers) == 1 else numbers}


def _learn(params: dict[str, Any]) -> dict[str, Any]:
    if params["learn"] is None:
        return {}
    return {"learn": [name.strip() for name in params["learn"].split(",")]}
