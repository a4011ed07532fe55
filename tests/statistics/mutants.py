"""Mistakes in a sampler of hierarchical LDA, most of them classic, and a way to run programs that make one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import topicgrove

ROOT = Path(__file__).parents[2]


class Edit(NamedTuple):
    """One replacement in one file; the old text has to be there exactly once."""

    file: str
    old: str
    new: str


MUTANTS = {
    "gamma_per_new_level": [
        Edit(
            "kernels/scores.py",
            "paths.new[level] = paths.new[level + 1] + new\n",
            "paths.new[level] = paths.new[level + 1] + new\n"
            "    if level < len(prior.alpha) - 1:\n"
            "        paths.new[level] += prior.log_gamma[level]\n",
        )
    ],
    "gamma_levels_swapped": [
        Edit("prior.py", "np.append(self.log_gamma, -math.inf)", "np.append(self.log_gamma[::-1], -math.inf)")
    ],
    "no_denominator": [
        Edit("kernels/scores.py", "np.float32(log_rising(table, base, totals[first + j], n_tokens))", "_ZERO"),
        Edit("kernels/scores.py", "score = -log_rising(total_table, base, nothing, n_tokens)", "score = 0.0"),
        Edit("kernels/scores.py", "score[slot] = log_words - log_total", "score[slot] = log_words"),
    ],
    "documents_not_removed": [
        Edit("kernels/gibbs_step.py", "leaves = tree.n_docs[leaf] == 1", "leaves = False"),
        Edit(
            "kernels/paths.py",
            "score[slot] += log_of_others(n_docs[slot], gamma[level], level == len(path) - 1)",
            "pass",
        ),
    ],
    "no_within_document_counts": [
        Edit("kernels/document_words.py", "repeat[n_tokens] = np.float32(k)", "repeat[n_tokens] = _ZERO"),
        Edit(
            "kernels/scores.py",
            "score += log_rising(word_table, np.float64(beta), nothing, np.int64(count[row]))",
            "score += count[row] * math.log(beta)",
        ),
        Edit("kernels/gibbs_step.py", "leaves = tree.n_docs[leaf] == 1", "leaves = True"),
    ],
    "token_not_removed": [
        Edit(
            "kernels/levels.py",
            "came = pick_lane(weight * here, unit_float32(mix64(state)), last)",
            "came = pick_lane(whole, unit_float32(mix64(state)), last)",
        ),
        Edit(
            "kernels/levels.py",
            "        gone, same = lane_is(next_level, lanes), all_if_equal(row, next_row, lanes)\n",
            "        old = lane_is(np.int64(levels[n]), lanes)\n"
            "        whole = (own + ones_if(old)) / (total + keep_if(old, rapid)) * (here + keep_if(old, rapid))\n"
            "        gone, same = lane_is(next_level, lanes), all_if_equal(row, next_row, lanes)\n",
        ),
    ],
    "no_v_times_beta": [
        Edit("prior.py", "beta_sum=exact_beta * n_words,", "beta_sum=exact_beta,"),
        Edit(
            "prior.py",
            "log_rising_table(exact_beta * n_words, TOTAL_TABLE)",
            "log_rising_table(exact_beta, TOTAL_TABLE)",
        ),
    ],
    "own_tokens_not_removed": [
        Edit("kernels/scores.py", "column, beta - 1.0)", "column, beta)"),
        Edit(
            "kernels/scores.py",
            "words.totals[column] - n_counted, end - begin",
            "words.totals[column], end - begin",
        ),
    ],
}


def run_on_copy(program: str, *arguments: str, edits: list[Edit], folder: Path) -> dict[str, Any]:
    """Copy the package, make the edits, and run a program of this folder with it; returns the JSON that it prints."""
    package = folder / "topicgrove"
    shutil.copytree(Path(topicgrove.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for edit in edits:
        path = package / edit.file
        source = path.read_text()
        assert source.count(edit.old) == 1, f"{edit.file}: {edit.old!r} is there {source.count(edit.old)} times"
        path.write_text(source.replace(edit.old, edit.new))
    environment = {**os.environ, "PYTHONPATH": str(folder), "TOPICGROVE_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-m", f"tests.statistics.{Path(program).stem}", *arguments]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["source"] == str(package / "__init__.py"), "the copy was not what ran"
    return result
