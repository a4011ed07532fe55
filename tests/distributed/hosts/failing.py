"""The command, but one rank fails at a certain point: failing.py RANK ITERATION PHASE HOW FILE, then the command line.

The command line ``in-python STORE CHECKPOINTS`` calls ``HierarchicalLDA.fit``. In iteration 0, a rank fails before the
first iteration. HOW is the number of a signal that the rank sends to itself, or the name of an exception. FILE gets the
time of the failure and the rank's process id.
"""

import builtins
import os
import sys
import time
from pathlib import Path

import topicgrove.distributed.shared_paths
import topicgrove.whole_files
from topicgrove import HierarchicalLDA, open_store
from topicgrove.cli import main
from topicgrove.communication.mpi import MPICommunicator
from topicgrove.distributed.exchange import Exchange
from topicgrove.distributed.shared_sweep import SharedSweep
from topicgrove.persistence.checkpoints import Checkpointer
from topicgrove.samplers.partially_collapsed import PartiallyCollapsedGibbs
from topicgrove.training import Trainer

PHASES = {
    "joining": (MPICommunicator, "__init__"),
    "own code": (sys.modules[__name__], "open_store"),
    "start of an iteration": (Trainer, "step"),
    "sampling": (SharedSweep, "draw"),
    "exchange": (Exchange, "round"),
    "exchange of payloads": (MPICommunicator, "_to_all"),
    "merging": (topicgrove.distributed.shared_paths, "merge"),
    "refresh": (PartiallyCollapsedGibbs, "refresh"),
    "sum of counts": (MPICommunicator, "reduce_scatter_rows"),
    "sharing of phi": (MPICommunicator, "allgather_rows"),
    "checkpoint": (Checkpointer, "write"),
    "half-written checkpoint": (topicgrove.whole_files, "sync"),
    "all parts and no tree": (Checkpointer, "_write_all"),
}
HALF = "half-written checkpoint"


class Moment:
    """When to fail; armed once the iteration is reached."""

    def __init__(self, rank, iteration, how, file):
        self.mine = int(os.environ["PMI_RANK"]) == rank
        self.iteration = iteration
        self.how = how
        self.file = Path(file)
        self.armed = self.mine and iteration == 0

    def fail(self):
        self.armed = False
        self.file.with_suffix(".new").write_text(f"{time.monotonic()} {os.getpid()}")
        self.file.with_suffix(".new").replace(self.file)
        if not self.how.isdigit():
            raise getattr(builtins, self.how)("made for a test")
        os.kill(os.getpid(), int(self.how))

    def watch(self, owner, name, condition=lambda *_: True):
        """Fail where a function would be called."""
        original = getattr(owner, name)

        def watched(*arguments, **named):
            if self.armed and condition(*arguments):
                self.fail()
            return original(*arguments, **named)

        setattr(owner, name, watched)

    def arm(self):
        """Arm the failure from the beginning of the iteration."""
        step = Trainer.step

        def armed_step(trainer):
            self.armed = self.armed or (self.mine and trainer.iteration + 1 == self.iteration)
            step(trainer)

        Trainer.step = armed_step


def run(rank, iteration, phase, how, file, *command):
    moment = Moment(int(rank), int(iteration), how, file)
    owner, name = PHASES[phase]
    moment.watch(owner, name, (lambda path: path.suffix == ".tmp") if phase == HALF else lambda *_: True)
    moment.arm()
    if command[0] == "in-python":
        fit(*command[1:])
    else:
        main(command)


def fit(store, checkpoints):
    """Do what the program of a user does who expects no errors."""
    communicator = MPICommunicator()
    model = HierarchicalLDA(
        3, n_iter=10**6, checkpoint=checkpoints, checkpoint_every=2, init="monte_carlo", random_state=3
    )
    model.fit(open_store(store), communicator=communicator)


if __name__ == "__main__":
    run(*sys.argv[1:])
