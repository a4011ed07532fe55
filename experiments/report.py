"""Fill docs/reproduction.md with what the runs in experiments/results say: ``python experiments/report.py``."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.claims import CLAIMS, NOT_REPRODUCED, NOT_RUN, Claim
from experiments.run import NAMES, experiment_of
from experiments.runs import RESULTS
from topicgrove.whole_files import write_whole

PAGE = Path(__file__).parents[1] / "docs" / "reproduction.md"
IMAGES = PAGE.parent / "images"
BEGIN, END = "<!-- begin: made by experiments/report.py -->\n", "<!-- end -->\n"


def main() -> None:
    """Rewrite the made part of the page, and bring the pictures up to date."""
    for name in NAMES:
        picture = RESULTS / f"{name}.svg"
        if picture.exists():
            shutil.copyfile(picture, IMAGES / f"reproduction-{picture.name}")
    write_whole(PAGE, filled(PAGE.read_text(encoding="utf-8")))


def filled(page: str, folder: Path = RESULTS) -> str:
    """The page with its made part made anew."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return before + BEGIN + made_part(folder) + END + after


def made_part(folder: Path) -> str:
    """The table of claims, and the pictures with how many runs are behind each."""
    lines = ["", "| paper | claim | ours | verdict |", "|---|---|---|---|"]
    lines += [_line(claim, folder) for claim in CLAIMS]
    for name in NAMES:
        experiment = experiment_of(name)
        n_runs = len(list((folder / name).glob("*.json")))
        lines += ["", f"### {experiment.title[0].upper()}{experiment.title[1:]}", ""]
        if not n_runs:
            lines.append(f"`experiments/{name}.py`: {NOT_RUN}.")
            continue
        lines += [f"`experiments/{name}.py`, {n_runs} runs on {_machines(folder / name)}.", ""]
        lines.append(f"![{experiment.title}](images/reproduction-{name}.svg)")
    return "\n".join([*lines, "", ""])


def _line(claim: Claim, folder: Path) -> str:
    finding = claim.find(folder)
    why = f", likely because {claim.if_not}" if finding.verdict == NOT_REPRODUCED and claim.if_not else ""
    return f"| {claim.where} | {claim.says} | {finding.numbers or '-'} | {finding.verdict}{why} |"


def _machines(home: Path) -> str:
    """The machines that the runs were made on."""
    made = [json.loads(path.read_text(encoding="utf-8"))["made_with"] for path in sorted(home.glob("*.json"))]
    return " and ".join(sorted({f"{each['cores']} cores of {each['processor']}" for each in made}))


if __name__ == "__main__":
    main()
