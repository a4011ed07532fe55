"""``topicgrove resume``: resume from the newest checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topicgrove.cli import options
from topicgrove.cli.next_steps import next_commands
from topicgrove.cli.ranks import check_output, join_ranks
from topicgrove.cli.training import print_summary, run_and_save, watched
from topicgrove.communication.together import together

if TYPE_CHECKING:
    from topicgrove.training import Callback
    from topicgrove.watch import LivePage


def resume(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="What was given to fit as --checkpoint.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The file to write.")],
    iterations: Annotated[
        int | None, typer.Option(min=1, show_default="as in fit", help="Another number of sweeps in all.")
    ] = None,
    threads: options.Threads = None,
    watchdog: options.Watchdog = None,
    watch: options.Watch = False,
    port: options.Port = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Resume from a directory's newest checkpoint; with one thread, the result equals that of an uninterrupted run.

    Under mpiexec or srun, any number of processes can resume, however many wrote the checkpoint.
    """
    comm = join_ranks(watchdog, watch)
    quiet = quiet or comm.rank > 0
    check_output(comm, output)

    from topicgrove.resuming import model_of_checkpoint

    model = together(comm, lambda: model_of_checkpoint(directory))
    model.set_params(n_iter=iterations or model.n_iter, n_jobs=options.n_jobs(threads))
    with watched(watch, port, directory.name) as page:
        followers = [] if page is None else [_follower(page, directory)]
        run_and_save(model, lambda: model.continue_fit(communicator=comm), output, directory, quiet, followers)
        if page is not None:
            page.finish(model.tree_, model.history_)
    if comm.rank == 0:
        commands = next_commands(output, len(model.history_), checkpoint=directory)
        print_summary(model, output, directory, commands, quiet=quiet, as_json=as_json)


def _follower(page: LivePage, directory: Path) -> Callback:
    from topicgrove.persistence.checkpoints import read_checkpoint, training_corpus_of

    checkpoint = read_checkpoint(directory)
    return page.follow(training_corpus_of(directory, checkpoint), checkpoint.history)
