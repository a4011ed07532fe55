"""Fill docs/reproduction.md from the runs in experiments/results: ``python experiments/report.py``.

Figures from kernels other than the current ones get a mark, also in prose: there, a comment such as ``<!-- figures:
quality -->`` names the experiment behind a paragraph's figures.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.claims import CLAIMS, NOT_REPRODUCED, NOT_RUN, Claim
from experiments.records import RESULTS, Record, latest, read_records
from experiments.run import NAMES, experiment_of
from topicgrove.kernels.cache import sources_hash
from topicgrove.plotting.figures import save_figure
from topicgrove.whole_files import write_whole

PAGE = Path(__file__).parents[1] / "docs" / "reproduction.md"
IMAGES = PAGE.parent / "images"
BEGIN, END = "<!-- begin: made by experiments/report.py -->\n", "<!-- end -->\n"

MARK = "†"
LEGEND = f"{MARK} Other kernels than today's made some or all of the runs behind this figure."
NOT_KEPT = "not kept"
"""Replaces the experiment's name if no results are kept; such figures are always marked."""

SOURCE = re.compile(rf"<!-- figures: ([a-z_, ]+) -->(?: {MARK})?")


def main() -> None:
    """Rewrite the page and its pictures, and say which results come from other kernels."""
    for name in NAMES:
        records = records_of(name, RESULTS)
        if records:
            figure = experiment_of(name).draw([record.row for record in records])
            save_figure(figure, IMAGES / f"reproduction-{name}.svg")
            print(f"{name}: {len(records)} runs{told_apart(records)}")
    write_whole(PAGE, filled(PAGE.read_text(encoding="utf-8")))


def records_of(name: str, folder: Path) -> list[Record]:
    """Return the runs that count: those of the current kernels if there are any."""
    return latest(read_records(name, folder), sources_hash())


def older(records: list[Record]) -> list[Record]:
    """Return the runs made by other kernels."""
    kernels = sources_hash()
    return [record for record in records if not record.is_of(kernels)]


def told_apart(records: list[Record]) -> str:
    """Say how many of the runs come from other kernels, and which."""
    counted = Counter(_origin(record) for record in older(records))
    if not counted:
        return ""
    share = "all" if counted.total() == len(records) else f"{counted.total()} of them"
    return f", {share} by other kernels: " + ", ".join(f"{n} {of}" for of, n in counted.most_common())


def _origin(record: Record) -> str:
    uncommitted = "uncommitted changes to " if record.made_with.get("uncommitted") else ""
    return f"of {uncommitted}commit {record.made_with.get('commit') or 'unknown'}"


def filled(page: str, folder: Path = RESULTS) -> str:
    """Return the page with its generated part rewritten, and its prose marked."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return marked(before, folder) + BEGIN + made_part(folder) + END + marked(after, folder)


def marked(prose: str, folder: Path = RESULTS) -> str:
    """Mark prose after each comment that names an experiment with runs of other kernels."""

    def mark(found: re.Match[str]) -> str:
        names = [name.strip() for name in found[1].split(",")]
        unknown = sorted({*names} - {*NAMES, NOT_KEPT})
        if unknown:
            raise ValueError(f"figures of {unknown[0]}: must be one of {', '.join((*NAMES, NOT_KEPT))}")
        is_older = any(name == NOT_KEPT or older(records_of(name, folder)) for name in names)
        return f"<!-- figures: {found[1]} -->" + (f" {MARK}" if is_older else "")

    return SOURCE.sub(mark, prose)


def made_part(folder: Path) -> str:
    """Write the table of claims, and the pictures with the number of runs behind each."""
    lines = ["", LEGEND, "", "| paper | claim | ours | verdict |", "|---|---|---|---|"]
    lines += [_line(claim, folder) for claim in CLAIMS]
    for name in NAMES:
        experiment, records = experiment_of(name), records_of(name, folder)
        mark = f"{MARK} " if older(records) else ""
        lines += ["", f"### {experiment.title[0].upper()}{experiment.title[1:]}", ""]
        if not records:
            lines.append(f"`experiments/{name}.py`: {NOT_RUN}.")
            continue
        runs = f"{len(records)} runs on {_machines(records)}{told_apart(records)}"
        lines += [f"{mark}`experiments/{name}.py`, {runs}.", ""]
        lines.append(f"![{mark}{experiment.title}](images/reproduction-{name}.svg)")
    return "\n".join([*lines, "", ""])


def _line(claim: Claim, folder: Path) -> str:
    finding = claim.find(folder)
    mark = f"{MARK} " if finding.numbers and older(records_of(claim.experiment, folder)) else ""
    why = f", likely because {claim.if_not}" if finding.verdict == NOT_REPRODUCED and claim.if_not else ""
    return f"| {claim.where} | {claim.says} | {mark}{finding.numbers or '-'} | {mark}{finding.verdict}{why} |"


def _machines(records: list[Record]) -> str:
    """List the machines that made the runs."""
    made = [record.made_with for record in records]
    return " and ".join(sorted({f"{each['cores']} cores of {each['processor']}" for each in made}))


if __name__ == "__main__":
    main()
