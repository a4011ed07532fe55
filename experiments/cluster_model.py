"""Time per iteration on 1 to 100 processors, from costs measured on one machine, compared with the paper's.

    python experiments/cluster_model.py

reads ``calibration.json``, which ``benchmarks/calibrate.py`` makes, and writes ``cluster_model.csv`` here and the
picture of ``docs/cluster.md``. `Iteration` describes the parts of the model.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PICTURE = HERE.parent / "docs" / "images" / "cluster-model.svg"

PASSES = 2
"""How often the matrix of slow counts crosses a rank's link: once to sum it, once to share it."""

ENTRY_BYTES = 8
"""Bytes of a change of a count in a message."""

PERIOD = 0.005
"""Seconds between two rounds of exchange; at its end, a sweep waits for about one more."""

SYNC = 0.02
"""Share of a core that rounds of exchange may use."""


@dataclass(frozen=True)
class Costs:
    """Seconds of one thread: per token (a part of it grows with the topics), per element of phi, per change."""

    token: float
    token_topic: float
    record: float
    clear: float
    logarithm: float
    pack: float
    merge: float
    contention: float  # how much each further thread of a processor slows all of them down
    crowding: float  # cost of a second process with its own matrices on the machine, and of waiting for it


@dataclass(frozen=True)
class Network:
    """Least seconds per message, and bytes per second of one rank's link."""

    latency: float
    bandwidth: float


@dataclass(frozen=True)
class Work:
    """A corpus and its tree."""

    n_tokens: float
    n_words: float
    n_topics: float
    n_slow: float
    rapid_bytes: float  # per token, to send to each other rank


@dataclass(frozen=True)
class Iteration:
    """Seconds of the parts of an iteration.

    sampling   N / P (a + b T), and to note and list changes if there are other ranks, next to rounds of exchange;
               divided among threads
    phi        V K to clear on every rank, V K / P logarithms
    slow       PASSES 4 V K (P - 1) / P bytes over the link, and as many times P - 1 latencies
    merging    what others changed, N d (P - 1) / P bytes in entries of 8, while the threads rest; own ones are packed
    waiting    for rounds at the end, and for bytes of changes that take longer than the sampling beside which they go
    """

    sampling: float
    phi: float
    slow: float
    merging: float
    waiting: float

    @property
    def seconds(self) -> float:
        """Sum all parts."""
        return self.sampling + self.phi + self.slow + self.merging + self.waiting


def iteration(
    work: Work, costs: Costs, network: Network, n_ranks: int, n_threads: int, n_cores: int | None = None
) -> Iteration:
    """Predict an iteration with ``n_ranks`` ranks and ``n_threads`` threads each, which may share ``n_cores`` in all.

    >>> work = Work(n_tokens=1e8, n_words=1e5, n_topics=500, n_slow=400, rapid_bytes=0.01)
    >>> costs = Costs(1e-7, 1e-9, 1e-8, 1e-10, 1e-9, 1e-8, 1e-8, contention=0, crowding=0)
    >>> one, ten = (iteration(work, costs, Network(1e-6, 1e9), n_ranks, 1) for n_ranks in (1, 10))
    >>> round(one.seconds, 2), one.slow, 5 < one.seconds / ten.seconds < 10
    (60.04, 0.0, True)
    """
    share = max(1.0, n_ranks * n_threads / n_cores) if n_cores else 1.0
    crowd = 1 + costs.crowding * (min(n_ranks, n_cores) - 1) if n_cores else 1.0
    one_thread = share * crowd * (1 + costs.contention * (n_threads - 1)) / n_threads
    elements = work.n_words * work.n_slow
    token = costs.token + costs.token_topic * work.n_topics + (costs.record if n_ranks > 1 else 0.0)
    rounds = 1 + (SYNC / n_threads if n_ranks > 1 else 0.0)
    sampling = work.n_tokens / n_ranks * token * one_thread * rounds
    phi = elements * (costs.clear + costs.logarithm / n_ranks) * one_thread
    if n_ranks == 1:
        return Iteration(sampling, phi, 0.0, 0.0, 0.0)
    others = (n_ranks - 1) / n_ranks
    slow = PASSES * (4 * elements * others / network.bandwidth * share + (n_ranks - 1) * network.latency)
    told = work.n_tokens * work.rapid_bytes
    merging = share * told / ENTRY_BYTES * (costs.pack / n_ranks + costs.merge * others)
    waiting = PERIOD + max(0.0, told * others / network.bandwidth - sampling)
    return Iteration(sampling, phi, slow, merging, waiting)


def calibrated(facts: dict[str, Any]) -> tuple[Costs, Network, Work]:
    """Read the costs, the network between two ranks, and the work of the runs that measured them."""
    one, two_threads = (_row(facts["ranks"], 1, n_threads) for n_threads in (1, 2))
    finer = facts["finer"]
    n_tokens, n_words = facts["corpus"]["n_tokens"], facts["corpus"]["n_words"]
    per_token = [
        (row["seconds"] - n_words * row["n_slow"] * (facts["clear"] + facts["logarithm"])) / n_tokens
        for row in (one, finer)
    ]
    per_topic = (per_token[1] - per_token[0]) / (finer["n_topics"] - one["n_topics"])
    costs = Costs(
        token=per_token[0] - per_topic * one["n_topics"],
        token_topic=per_topic,
        contention=max(0.0, 2 * two_threads["seconds"] / one["seconds"] - 1),
        crowding=max(0.0, facts["beside"] / one["seconds"] - 1),
        **{name: facts[name] for name in ("record", "clear", "logarithm", "pack", "merge")},
    )
    two = _row(facts["ranks"], 2, 1)
    work = Work(n_tokens, n_words, one["n_topics"], one["n_slow"], two["rapid_bytes"])
    return costs, Network(facts["latency"], facts["bandwidth"]), work


def _row(rows: Iterable[dict[str, Any]], n_ranks: int, n_threads: int) -> dict[str, Any]:
    return next(row for row in rows if (row["n_ranks"], row["n_threads"]) == (n_ranks, n_threads))


def bytes_per_rapid_token(facts: dict[str, Any], threshold: int = 64) -> float:
    """Bytes that a token in a rapid topic causes per iteration and receiver, measured at a threshold M."""
    row = next(row for row in facts["thresholds"] if row["M"] == threshold)
    return float(row["rapid_bytes"] / row["rapid_share"])


@dataclass(frozen=True)
class Setting:
    """One of the paper's experiments: its corpus, its variable, and the speed-up it reports."""

    name: str
    what: str
    work: Work
    counts: tuple[int, ...]
    threads_vary: bool
    claim: float


THREADS_PER_CPU = 12
RAPID_SHARE = 0.003
"""Share of the tokens: in the paper, 99.7 % of NYTimes' documents are in slow topics with M = 64."""

CLUSTER = Network(latency=5e-6, bandwidth=2.5e9)
"""InfiniBand with 5 GB/s per machine, which its two processors share."""


LARGE = {"n_tokens": 2.8e10, "n_topics": 1722, "n_slow": 1471}
"""ClueWeb12 (large) on 50 machines, with NYTimes' share of slow topics; it took 7 hours in the paper."""


def settings(rapid_bytes: float) -> list[Setting]:
    """Return the three settings; except for NYTimes, the paper omits the numbers of topics and of slow topics."""
    tree = Work(0, 0, n_topics=500, n_slow=427, rapid_bytes=rapid_bytes)
    nytimes = replace(tree, n_tokens=9.7e7, n_words=101_635)
    pubmed = replace(tree, n_tokens=7.38e8, n_words=141_043)
    clueweb = replace(tree, n_tokens=5.6e9, n_words=100_000)
    return [
        Setting("NYTimes", "threads", nytimes, (1, 2, 4, 6, 8, 10, 12), True, 8.56),
        Setting("PubMed", "CPUs", pubmed, (1, 2, 4, 6, 8, 10), False, 8.5),
        Setting("ClueWeb12 (small)", "CPUs", clueweb, (10, 20, 40, 60, 80, 100), False, 7.15),
    ]


def predict(setting: Setting, costs: Costs) -> list[Iteration]:
    """Predict the iterations of a setting."""
    if setting.threads_vary:
        return [iteration(setting.work, costs, CLUSTER, 1, n) for n in setting.counts]
    return [iteration(setting.work, costs, CLUSTER, n, THREADS_PER_CPU) for n in setting.counts]


def check(facts: dict[str, Any], n_cores: int = 2) -> list[tuple[int, int, float, float]]:
    """Return ranks, threads, and seconds per iteration: measured on this many cores, and predicted by the model."""
    costs, network, work = calibrated(facts)
    rows = []
    for row in facts["ranks"]:
        n_ranks, n_threads = row["n_ranks"], row["n_threads"]
        here = replace(work, n_topics=row["n_topics"], n_slow=row["n_slow"])
        modelled = iteration(here, costs, network, n_ranks, n_threads, n_cores)
        rows.append((n_ranks, n_threads, row["seconds"], modelled.seconds))
    return rows


def main() -> None:
    """Print the check and the predictions, and write the table and the picture."""
    facts = json.loads((HERE / "calibration.json").read_text(encoding="utf-8"))
    costs, _, _ = calibrated(facts)
    checked = check(facts)
    for n_ranks, n_threads, measured, modelled in checked:
        print(
            f"{n_ranks} rank(s) x {n_threads} thread(s): {measured:.3f} s measured, {modelled:.3f} s modelled "
            f"({modelled / measured - 1:+.0%})"
        )
    predictions = [
        (setting, predict(setting, costs)) for setting in settings(RAPID_SHARE * bytes_per_rapid_token(facts))
    ]
    for setting, iterations in predictions:
        first, last = iterations[0], iterations[-1]
        print(
            f"{setting.name}, {setting.counts[0]} to {setting.counts[-1]} {setting.what}: "
            f"{first.seconds / last.seconds:.2f}x by the model, {setting.claim}x in the paper"
        )
    large = iteration(replace(predictions[-1][0].work, **LARGE), costs, CLUSTER, n_ranks=100, n_threads=THREADS_PER_CPU)
    print(f"ClueWeb12 (large), 100 CPUs: {large.seconds:.0f} s an iteration, {large}")
    write_table(HERE / "cluster_model.csv", predictions)
    draw(PICTURE, predictions, checked)


def write_table(path: Path, predictions: list[tuple[Setting, list[Iteration]]]) -> None:
    """Format all predictions as CSV."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        parts = ("sampling", "phi", "slow", "merging", "waiting")
        table.writerow(["corpus", "what", "count", "seconds", "speed_up", *parts])
        for setting, iterations in predictions:
            for count, one in zip(setting.counts, iterations, strict=True):
                numbers = [one.seconds, iterations[0].seconds / one.seconds, *(getattr(one, part) for part in parts)]
                table.writerow([setting.name, setting.what, count, *(f"{number:.4g}" for number in numbers)])


def draw(
    path: Path, predictions: list[tuple[Setting, list[Iteration]]], checked: list[tuple[int, int, float, float]]
) -> None:
    """Draw the check, and speed-ups by the model with the paper's last points."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "topicgrove", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(11, 3), layout="constrained")
        axes = figure.subplots(1, 4)
        labels = [f"{n_ranks}x{n_threads}" for n_ranks, n_threads, _, _ in checked]
        axes[0].plot(labels, [measured for _, _, measured, _ in checked], "o", color="#c44e52", label="measured")
        axes[0].plot(labels, [modelled for _, _, _, modelled in checked], "_", color="#4c72b0", ms=14, label="model")
        axes[0].set(title="20news, two cores", xlabel="ranks x threads", ylabel="seconds per iteration", ylim=(0, None))
        for ax, (setting, iterations) in zip(axes[1:], predictions, strict=True):
            speed_up = [iterations[0].seconds / one.seconds for one in iterations]
            ideal = [count / setting.counts[0] for count in setting.counts]
            ax.plot(setting.counts, ideal, ":", color="#999999", label="ideal")
            ax.plot(setting.counts, speed_up, ".-", color="#4c72b0", label="model")
            ax.plot(setting.counts[-1], setting.claim, "*", color="#c44e52", ms=10, label="paper")
            ax.set(title=setting.name, xlabel=setting.what, ylabel="speed-up", ylim=(0, None))
        for ax in axes:
            ax.legend(frameon=False)
            ax.spines[["top", "right"]].set_visible(False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
