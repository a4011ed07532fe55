"""Convert an estimator's parameters to JSON and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from pkgutil import resolve_name
from typing import Any

import numpy as np

from topicgrove.choices import MODELS
from topicgrove.corpus import TextRules
from topicgrove.inputs import rules_of
from topicgrove.persistence.sealed import check_known

_INFINITE = "inf"
_NOT_SAVED = ("callbacks", "verbose", "n_jobs", "checkpoint", "warm_start")
"""Parameters that belong to a call or a machine, not to a model."""


def to_json(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that can be saved; generators of random numbers become None.

    >>> to_json({"n_levels": 3, "beta": np.array([1.0, 0.5]), "collapse_below": math.inf, "callbacks": [print]})
    {'n_levels': 3, 'beta': [1.0, 0.5], 'collapse_below': 'inf'}
    """
    plain = {name: _plain(value) for name, value in parameters.items() if name not in _NOT_SAVED}
    if parameters.get("text") is not None:
        plain["text"] = rules_of(parameters["text"]).to_dict()
    return plain


def estimator_of(saved: Any, model: str = "hlda") -> Any:
    """Make a model's estimator with saved parameters; raise ValueError or TypeError if one of them is invalid.

    Raises NewerFileError for an unknown parameter.

    >>> estimator_of({"n_levels": 3, "collapse_below": "inf"}).collapse_below
    inf
    >>> estimator_of({"checkpoint": "elsewhere"})
    Traceback (most recent call last):
    ValueError: parameters has checkpoint, which no file keeps
    """
    if not isinstance(saved, dict):
        raise ValueError(f"parameters must be an object; got {saved!r:.80}")
    foreign = [name for name in _NOT_SAVED if name in saved]
    if foreign:
        raise ValueError(f"parameters has {foreign[0]}, which no file keeps")
    check_known("model", [model], MODELS)
    estimator_class = resolve_name(MODELS[model].estimator)
    check_known("parameter", saved, estimator_class().get_params(deep=False))
    values: dict[str, Any] = {name: math.inf if value == _INFINITE else value for name, value in saved.items()}
    if values.get("text") is not None:
        values["text"] = read_rules(values["text"])
    estimator = estimator_class(**values)
    resolve_name(MODELS[model].check)(estimator)
    return estimator


def read_rules(saved: Any) -> TextRules:
    """Read rules of text; raise NewerFileError for an unknown rule."""
    if not isinstance(saved, dict):
        raise ValueError(f"rules of text must be an object; got {saved!r:.80}")
    check_known("rule of text", saved, (field.name for field in fields(TextRules)))
    return TextRules.from_dict(saved)


def _plain(value: Any) -> Any:
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return _INFINITE if value == math.inf else value
