"""Names of samplers and starts for users to choose. The command line shows them, so nothing heavy is imported here.

`distributed/sync.py` has the names of sync strategies.
"""

from __future__ import annotations

from typing import NamedTuple


class ModelKind(NamedTuple):
    """Places of a model's class, of the check of its parameters, and of the function that reads it from a file."""

    estimator: str
    check: str
    read: str


MODELS = {
    "hlda": ModelKind(
        "topicgrove.estimator:HierarchicalLDA",
        "topicgrove.plans:check_parameters",
        "topicgrove.persistence.models:read_one_path_model",
    ),
    "nhdp": ModelKind(
        "topicgrove.nested_hdp:NestedHDP",
        "topicgrove.several_paths.plans:check_parameters",
        "topicgrove.several_paths.files:read_several_paths_model",
    ),
}
"""Every model by the name that files and the command line use."""

SAMPLERS = {
    "pcgs": "topicgrove.samplers.partially_collapsed:PartiallyCollapsedGibbs",
    "cgs": "topicgrove.samplers.collapsed:CollapsedGibbs",
    "bgs": "topicgrove.samplers.blocked:BlockedGibbs",
}
"""Every sampler by its user-facing name, with the place of its class. "auto" stands for one of the first two."""

INITS = ("bottom_up", "monte_carlo", "progressive", "none")
"""The ways in which training can start."""
