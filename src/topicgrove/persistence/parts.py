"""Checkpoints of several ranks: each writes its documents' assignments, rank 0 the tree, last of all.

So a checkpoint without its tree does not count as one. Any number of ranks can resume from a checkpoint: they read the
documents they need, whichever rank wrote them, and recount.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication.together import together
from topicgrove.persistence.checking import check_part
from topicgrove.persistence.migrations import newest_version
from topicgrove.persistence.sealed import CONTRADICTIONS, Arrays, CorruptModelError, read_sealed, write_sealed
from topicgrove.samplers import Sampler
from topicgrove.state import State
from topicgrove.topics import Nodes

if TYPE_CHECKING:
    from topicgrove.persistence.checkpoints import Checkpoint

KIND = "topicgrove part of a checkpoint"
VERSION = newest_version(KIND)
PARTS = "part-*.safetensors"


def part_path(directory: Path, iteration: int, rank: int) -> Path:
    """Return the path of a rank's part."""
    return directory / f"part-{iteration:09d}-{rank:05d}.safetensors"


def write_part(path: Path, state: State, iteration: int, run: str) -> None:
    """Write the assignments of this rank's documents."""
    arrays: Arrays = {"leaf": state.paths(state.nodes())[:, -1].copy(), "levels": state.docs.levels}
    write_sealed(path, KIND, VERSION, {"iteration": iteration, "run": run}, arrays)


def tree_arrays(state: State) -> Arrays:
    """Return what all ranks share, and where the documents and tokens of each begin."""
    nodes = state.nodes()
    return {
        "parent": nodes.parent,
        "level": nodes.level,
        "starts": state.assignments.starts,
        "refreshes": np.array([state.refreshes]),
    }


def restore_assignments(state: State, checkpoint: Checkpoint, sampler: Sampler) -> None:
    """Restore the assignments of a checkpoint in a new state of any part of the corpus, and recount its topics."""
    read = _of_parts if checkpoint.n_parts else _of_snapshot
    parent, level, leaf, levels = together(state.comm, lambda: read(state, checkpoint))
    if len(leaf) != len(state.docs.leaf) or len(levels) != len(state.docs.levels):
        raise ValueError("it has other documents than the corpus")
    nothing = np.zeros(len(parent), np.int64)
    slots = state.topics.instantiate_all(Nodes(parent, level, nothing, nothing - 1))
    state.docs.leaf[:] = slots[leaf]
    state.docs.levels[:] = levels
    state.topics.count_documents()
    if not state.topics.tree.n_docs[slots].all():
        raise ValueError("it has topics without documents")
    state.refreshes = max(0, int(checkpoint.state["refreshes"][0]) - 1)
    sampler.refresh(state)


def _of_parts(state: State, checkpoint: Checkpoint) -> tuple[NDArray[Any], ...]:
    """Return the tree, and the leaves and levels of the state's documents, read from their parts."""
    leaves, levels = [np.zeros(0, np.int32)], [np.zeros(0, np.uint8)]
    starts = checkpoint.state["starts"]
    if not np.array_equal(starts[-1], state.assignments.starts[-1]):
        raise ValueError("it has other documents than the corpus")
    first, last = state.assignments.starts[state.comm.rank], state.assignments.starts[state.comm.rank + 1]
    for rank in range(checkpoint.n_parts):
        begin = np.maximum(first, starts[rank]) - starts[rank]
        end = np.minimum(last, starts[rank + 1]) - starts[rank]
        if begin[0] < end[0]:
            part = _read_part(checkpoint, rank)
            leaves.append(part["leaf"][begin[0] : end[0]])
            levels.append(part["levels"][begin[1] : end[1]])
    return checkpoint.state["parent"], checkpoint.state["level"], np.concatenate(leaves), np.concatenate(levels)


def _read_part(checkpoint: Checkpoint, rank: int) -> Arrays:
    path = part_path(Path(checkpoint.directory), checkpoint.iteration, rank)
    facts, arrays = read_sealed(path, KIND, VERSION)
    if (facts.get("run"), facts.get("iteration")) != (checkpoint.run, checkpoint.iteration):
        raise CorruptModelError(f"{path}: belongs to another run than the checkpoint")
    starts = checkpoint.state["starts"]
    n_docs, n_tokens = (starts[rank + 1] - starts[rank]).tolist()
    try:
        check_part(arrays, n_docs, n_tokens, checkpoint.state["level"], checkpoint.hyper.n_levels)
    except CONTRADICTIONS as error:
        raise CorruptModelError(f"{path}: contradicts the checkpoint: {error}") from error
    return arrays


def _of_snapshot(state: State, checkpoint: Checkpoint) -> tuple[NDArray[Any], ...]:
    """Return the same from the checkpoint of a single process."""
    arrays = checkpoint.state
    first, last = state.assignments.starts[state.comm.rank], state.assignments.starts[state.comm.rank + 1]
    slots = [np.unique(arrays["leaf"])]
    for _ in range(state.n_levels - 1):
        slots.insert(0, np.unique(arrays["tree.parent"][slots[0]]))
    index = np.full(len(arrays["tree.parent"]), -1, np.int64)
    slot = np.concatenate(slots)
    index[slot] = np.arange(len(slot))
    level = np.repeat(np.arange(state.n_levels), [len(part) for part in slots])
    parent = index[arrays["tree.parent"][slot]]
    leaf = index[arrays["leaf"][first[0] : last[0]]]
    return parent, level, leaf, arrays["levels"][first[1] : last[1]]
