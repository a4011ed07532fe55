"""Checkpoints with arbitrary contents: training resumes to a correct model, or is refused."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

from numpy.testing import assert_array_equal

from topicgrove import HierarchicalLDA
from topicgrove.persistence import checkpoints

from . import resealing, samples
from .cases import Target
from .models import Changed
from .mutations import Random
from .parameters import check_model

SWEEPS = samples.N_ITER + 2


class Checkpoints(Target):
    """`HierarchicalLDA.resume`."""

    share = 7
    refusals = (ValueError, OSError)

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def prepare(self) -> None:
        """Compile what training needs."""
        untampered()

    def generate(self, rng: Random, folder: Path) -> Changed:
        """Change the newest checkpoint, or the only one."""
        files = dict(samples.folder_of("checkpoints"))
        older, newest = sorted(name for name in files if name.startswith("checkpoint-"))
        what, changed = resealing.CHANGES[self._kind](rng, files[newest], checkpoints.KIND, checkpoints.VERSION)
        is_same = changed == files[newest]
        files[newest] = changed
        if rng.random() < 0.5:
            del files[older]
        return Changed(what, samples.write_folder(folder / "run", files), is_same)

    def run(self, given: Changed) -> HierarchicalLDA:
        """Resume in a copy, since the run writes further checkpoints."""
        directory = given.path.with_name("copy")
        shutil.copytree(given.path, directory)
        return HierarchicalLDA.resume(directory, n_iter=SWEEPS)

    def check(self, given: Changed, result: HierarchicalLDA) -> None:
        """Check for a correct model of the corpus, identical to an uninterrupted run's if nothing could be tampered
        with."""
        check_model(result)
        if self._kind == "raw" or given.is_same:
            assert_array_equal(result.paths_, untampered().paths_)
            assert_array_equal(result.token_levels_, untampered().token_levels_)
            assert result.log_joint_ == untampered().log_joint_


@cache
def untampered() -> HierarchicalLDA:
    """Resume the run from its own checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        directory = samples.write_folder(Path(folder, "run"), samples.folder_of("checkpoints"))
        return HierarchicalLDA.resume(directory, n_iter=SWEEPS)


TARGETS: dict[str, Target] = {kind: Checkpoints(kind) for kind in resealing.CHANGES}
