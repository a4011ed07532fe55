"""Names of samplers and starts for users to choose. The command line shows them, so nothing heavy is imported here.

`distributed/sync.py` has the names of sync strategies.
"""

from __future__ import annotations

from typing import NamedTuple


class ModelKind(NamedTuple):
    """Places of a model's class, and of functions that check its parameters and read its files."""

    estimator: str
    check: str
    read: str
    read_checkpoint: str


MODELS = {
    "hlda": ModelKind(
        "topicgrove.estimator:HierarchicalLDA",
        "topicgrove.plans:check_parameters",
        "topicgrove.persistence.models:read_one_path_model",
        "topicgrove.persistence.checkpoints:read_one_path_state",
    ),
    "nhdp": ModelKind(
        "topicgrove.nested_hdp:NestedHDP",
        "topicgrove.several_paths.plans:check_parameters",
        "topicgrove.several_paths.files:read_several_paths_model",
        "topicgrove.several_paths.checkpoints:read_several_paths_state",
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
"""The ways in which training of hierarchical LDA can start."""

NESTED_INITS = ("branches", "hlda", "none")
"""The ways in which training of the nested HDP can start."""
