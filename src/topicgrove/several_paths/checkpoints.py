"""Checkpoints of the several-paths model: the tree, its priors, and the topic of every token.

The tables from which topics are proposed depend on the topics of the tokens at the last refresh. So these are kept,
too: a resumed run then is the same run. The phi of slow topics follows from the tokens.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication.together import together
from topicgrove.persistence.checkpoints import Checkpoint, Checkpointer, check_facts
from topicgrove.persistence.sealed import Arrays, take
from topicgrove.several_paths.files import POSITIVE, check_shape, hyper_arrays, hyper_of, smallest
from topicgrove.several_paths.samplers import PartiallyCollapsedWalks, set_phi
from topicgrove.several_paths.training import WalkTrainer
from topicgrove.validation import check_whole


class WalkCheckpointer(Checkpointer):
    """The same for walks; with several ranks, the first one gathers and writes everything."""

    model = "nhdp"

    def _write_with_parts(self, trainer: WalkTrainer, path: Path) -> None:
        arrays = snapshot(trainer)
        together(self.comm, lambda: self._write(trainer, path, arrays) if self.comm.rank == 0 else None)

    def _write_all(self, trainer: WalkTrainer, path: Path) -> None:
        self._write(trainer, path, snapshot(trainer))

    def _write(self, trainer: WalkTrainer, path: Path, arrays: Arrays) -> None:
        self._write_file(path, trainer, {"stopped": False, "adjusters": []}, arrays)


def snapshot(trainer: WalkTrainer) -> Arrays:
    """Return everything that the next sweep depends on; all ranks call it, and the first gets the tokens of all."""
    state = trainer.state
    assert state.refreshed is not None, "keep_refreshed comes first"
    node, refreshed = (_gathered(state.comm, array) for array in (state.node, state.refreshed))
    arrays = {
        "parent": state.parent,
        "token_topics": smallest(node, state.n_nodes),
        "next_refresh": np.array([trainer.next_refresh]),
    } | hyper_arrays(state.hyper)
    if not np.array_equal(node, refreshed):
        arrays["refreshed"] = smallest(refreshed, state.n_nodes)
    if isinstance(trainer.sampler, PartiallyCollapsedWalks):
        arrays |= {"slow": state.words.slow, "next_choice": np.array([trainer.sampler.next_choice])}
    if trainer.growth is not None:
        arrays |= {"growth.tau": trainer.growth.tau, "growth.stop": trainer.growth.stop}
    return arrays


def restore(trainer: WalkTrainer, checkpoint: Checkpoint, first: int) -> None:
    """Put a trainer and its state where those of a checkpoint were; ``first`` is the first token of this rank."""
    arrays, state = checkpoint.state, trainer.state
    n_tokens = np.array([len(state.node)])
    state.comm.allreduce_sum(n_tokens)
    if n_tokens[0] != len(arrays["token_topics"]):
        raise ValueError(f"it has {len(arrays['token_topics'])} tokens, the corpus {n_tokens[0]}")
    if (trainer.growth is None) != ("growth.tau" not in arrays):
        raise ValueError("grow is not what its parameters say")
    here = slice(first, first + len(state.node))
    node, refreshed = arrays["token_topics"][here], arrays.get("refreshed", arrays["token_topics"])[here]
    state.restore(node, refreshed, arrays["parent"], checkpoint.hyper)
    if trainer.growth is not None:
        trainer.growth = trainer.growth._replace(tau=arrays["growth.tau"].copy(), stop=arrays["growth.stop"].copy())
    if isinstance(trainer.sampler, PartiallyCollapsedWalks):
        trainer.sampler.next_choice = int(arrays["next_choice"][0])
        state.make_slow(arrays["slow"] > 0)
        if arrays["slow"].any():
            set_phi(state, checkpoint.iteration, trainer.sampler.draw_phi)
    trainer.iteration, trainer.next_refresh = checkpoint.iteration, int(arrays["next_refresh"][0])
    trainer.is_whole = True


def read_several_paths_state(checkpoint: Checkpoint) -> Checkpoint:
    """Add the hyper-parameters of walks, after checking everything."""
    arrays, n_levels = checkpoint.state, int(checkpoint.parameters["n_levels"])
    check_facts(checkpoint, n_levels, full_depth=False)
    parent = take(arrays, "parent", np.int64, None)
    check_shape(parent, n_levels)
    hyper = hyper_of(arrays, n_levels, len(parent))
    if "hyper.rest_weight" in arrays:
        rest = take(arrays, "hyper.rest_weight", np.float64, len(parent))
        if not np.all((rest >= 0) & (rest <= POSITIVE[1])):
            raise ValueError(f"rest_weight must lie between 0 and {POSITIVE[1]:g}")
        hyper = hyper._replace(rest_weight=rest)
    n_tokens = len(_topics("token_topics", arrays, len(parent)))
    if "refreshed" in arrays and len(_topics("refreshed", arrays, len(parent))) != n_tokens:
        raise ValueError("refreshed and token_topics have different lengths")
    for name in ("growth.tau", "growth.stop"):
        if name in arrays or "growth.tau" in arrays:
            weights = take(arrays, name, np.float64, n_levels - 1)
            if not np.all((weights >= POSITIVE[0]) & (weights <= POSITIVE[1])):
                raise ValueError(f"{name} must lie between {POSITIVE[0]:g} and {POSITIVE[1]:g}")
    if checkpoint.parameters["sampler"] == "pcgs":
        take(arrays, "slow", np.uint8, len(parent))
        check_whole("next_choice", int(take(arrays, "next_choice", np.int64, 1)[0]), 1, 2 * checkpoint.iteration + 1)
    check_whole("next_refresh", int(take(arrays, "next_refresh", np.int64, 1)[0]), 1, 2 * checkpoint.iteration + 1)
    return checkpoint._replace(hyper=hyper)


def _topics(name: str, arrays: Arrays, n_topics: int) -> NDArray[Any]:
    topics = arrays[name]
    if topics.ndim != 1 or topics.dtype.kind != "u" or topics.max(initial=0) >= n_topics:
        raise ValueError(f"{name} must be numbers of topics from 0 to {n_topics - 1}")
    return topics


def _gathered(comm: Any, array: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the arrays of all ranks, one after the other, at rank 0, and this rank's own elsewhere."""
    if comm.size == 1:
        return array
    parts = comm.gather(array)
    return np.concatenate(parts) if comm.rank == 0 else array
