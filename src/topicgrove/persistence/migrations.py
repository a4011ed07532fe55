"""Migrations: convert files of older format versions when they are read.

A parameter, fact or array that gets another name or meaning needs a step here: a function that changes what an older
file holds, appended to the steps of its kind. The step raises the format's version by one. A new parameter with a
default needs none. ``tests/persistence/golden`` has files of every version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topicgrove.persistence.sealed import Arrays

Step = Callable[[dict[str, Any], "Arrays"], None]
"""Changes facts and arrays of one version to those of the next, in place."""


def name_the_choice_of_a_sampler(facts: dict[str, Any], arrays: Arrays) -> None:
    """Turn "pcgs", which could mean CGS in version 1, into "auto", which does what it did.

    >>> facts = {"parameters": {"sampler": "pcgs"}}
    >>> name_the_choice_of_a_sampler(facts, {})
    >>> facts
    {'parameters': {'sampler': 'auto'}}
    """
    if facts["parameters"].get("sampler") == "pcgs":
        facts["parameters"]["sampler"] = "auto"


def name_the_model(facts: dict[str, Any], arrays: Arrays) -> None:
    """Name the model, which could only be hierarchical LDA up to version 2.

    >>> facts = {"parameters": {}}
    >>> name_the_model(facts, {})
    >>> facts
    {'parameters': {}, 'model': 'hlda'}
    """
    facts["model"] = "hlda"


STEPS: Mapping[str, tuple[Step, ...]] = {
    "topicgrove model": (name_the_choice_of_a_sampler, name_the_model),
    "topicgrove checkpoint": (name_the_choice_of_a_sampler, name_the_model),
    "topicgrove part of a checkpoint": (),
}
"""Steps by kind of file: the first leads from version 1 to 2, the second from 2 to 3."""


def newest_version(kind: str) -> int:
    """Return the format version that is written.

    >>> newest_version("topicgrove part of a checkpoint")
    1
    """
    return 1 + len(STEPS[kind])


def migrate(kind: str, version: int, facts: dict[str, Any], arrays: Arrays) -> None:
    """Convert the content of a file from its version to the newest one."""
    for step in STEPS[kind][version - 1 :]:
        step(facts, arrays)


def rename_parameter(facts: dict[str, Any], old: str, new: str) -> None:
    """Rename a saved parameter, for use in steps; files without it stay as they are.

    >>> facts = {"parameters": {"n_sweeps": 70}}
    >>> rename_parameter(facts, "n_sweeps", "n_iter")
    >>> facts
    {'parameters': {'n_iter': 70}}
    """
    parameters = facts["parameters"]
    if old in parameters:
        parameters[new] = parameters.pop(old)
