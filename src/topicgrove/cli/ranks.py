"""Commands under ``mpiexec`` or ``srun``: the first process reads, writes and prints; all processes train."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from topicgrove.cli.errors import report_error
from topicgrove.cli.output import check_writable
from topicgrove.communication import launch
from topicgrove.whole_files import temporary_prefix

if TYPE_CHECKING:
    from topicgrove.communication import Communicator
    from topicgrove.corpus import Corpus


def join_ranks(watchdog: float | None, watch: bool) -> Communicator:
    """Return the communicator of this job."""
    comm = launch.communicator(watchdog, report_error)
    if watch and comm.size > 1:
        raise ValueError("--watch is for runs of a single process; follow a job of several by its log")
    return comm


def check_output(comm: Communicator, output: Path, *inputs: Path) -> None:
    """Call `check_writable` on the process that writes."""
    if comm.rank == 0:
        check_writable(output, *inputs)


@contextmanager
def shared_corpus(
    comm: Communicator, path: Path, output: Path, checkpoint: Path | None, read: Callable[[], Corpus]
) -> Iterator[Corpus]:
    """Return the documents on all ranks: each opens a store; the first rank makes one from anything else.

    That store is a folder that all ranks must see: in the directory of checkpoints, or next to ``output`` and removed
    afterwards.
    """
    from topicgrove.corpus import detect_format, open_store

    if comm.size == 1:
        yield read()
    elif detect_format(path) == "store":
        yield read() if comm.rank == 0 else open_store(path, verify=False)
    elif comm.rank == 0:
        with _folder(output, checkpoint) as folder:
            store = Path(folder) / "corpus"
            read().save(store, overwrite=True)
            comm.broadcast(os.fsencode(store.resolve()))
            yield open_store(store, verify=False)
            comm.barrier()
    else:
        yield open_store(os.fsdecode(comm.broadcast(b"")), verify=False)
        comm.barrier()


def _folder(output: Path, checkpoint: Path | None) -> AbstractContextManager[str]:
    if checkpoint is None:
        return tempfile.TemporaryDirectory(suffix="corpus", prefix=temporary_prefix(output), dir=output.parent)
    checkpoint.mkdir(parents=True, exist_ok=True)
    return nullcontext(str(checkpoint))
