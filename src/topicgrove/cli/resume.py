"""``topicgrove resume``: go on from the newest checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from topicgrove.cli import options
from topicgrove.cli.output import check_writable
from topicgrove.cli.training import print_summary, run_and_save


def resume(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="What was given to fit as --checkpoint.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The file to write.")],
    iterations: Annotated[
        int | None, typer.Option(min=1, show_default="as in fit", help="Another number of sweeps in all.")
    ] = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Go on from the newest checkpoint of a directory; with one thread the result is that of a run in one go."""
    check_writable(output)

    from topicgrove import HierarchicalLDA

    model = HierarchicalLDA.from_checkpoint(directory)
    model.set_params(n_iter=iterations or model.n_iter, n_jobs=options.n_jobs(threads))
    run_and_save(model, model.continue_fit, output, directory, quiet)
    print_summary(model, output, directory, quiet=quiet, as_json=as_json)
