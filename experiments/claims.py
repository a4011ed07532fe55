"""The paper's claims, and what the existing runs say about each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from experiments.figures import chosen, mean_and_error, values
from experiments.quality import relative_perplexity
from experiments.records import RESULTS, Row
from experiments.running_time import PEER, at_300, seconds_ratio
from experiments.runs import read_rows
from experiments.scalability import speed_up
from experiments.scale import PAPER_CORE_HOURS, PAPER_TOPICS, core_hours

REPRODUCED, NOT_REPRODUCED, OUT_OF_REACH, NOT_RUN = "reproduced", "not reproduced", "out of reach here", "not run yet"

HLDA_C_OVER_PEER = 12.9 / 0.73
"""Seconds per iteration of hlda-c over tomotopy 0.13.0, on nips at about 300 topics, measured on another machine."""

NOISE = 0.01
"""Perplexities of different seeds differ by about 1 %."""


@dataclass(frozen=True)
class Finding:
    """A verdict on a claim, and the numbers behind it."""

    verdict: str
    numbers: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, its place there, and how an experiment's rows decide on it."""

    where: str
    says: str
    experiment: str
    judge: Callable[[list[Row]], Finding]
    if_not: str = ""
    """The likely reason, if the claim is not reproduced."""

    def find(self, folder: Path = RESULTS) -> Finding:
        """Judge by the results in the folder."""
        rows = read_rows(self.experiment, folder)
        return self.judge(rows) if rows else Finding(NOT_RUN)


def _verdict(holds: bool, numbers: str) -> Finding:
    return Finding(REPRODUCED if holds else NOT_REPRODUCED, numbers)


def over_hlda_c(method: str, factor: float) -> Callable[[list[Row]], Finding]:
    """Judge through tomotopy, as hlda-c itself is not run."""

    def judge(rows: list[Row]) -> Finding:
        ratio = seconds_ratio(rows, "nips", PEER, method)
        if ratio is None:
            return Finding(NOT_RUN)
        ours = ratio * HLDA_C_OVER_PEER
        return _verdict(ours >= factor, f"{ours:.0f}x on nips, by way of tomotopy: {ratio:.1f}x over it")

    return judge


def faster(slower: str, quicker: str, least: float) -> Callable[[list[Row]], Finding]:
    """Compare the times of two samplers on every corpus."""

    def judge(rows: list[Row]) -> Finding:
        shown, holds = [], []
        for corpus in values(rows, "corpus"):
            ratio = seconds_ratio(rows, corpus, slower, quicker)
            if ratio is not None:
                topics = [f"{mean_and_error(at_300(rows, corpus, m), 'n_topics')[0]:.0f}" for m in (slower, quicker)]
                shown.append(f"{ratio:.2f}x on {corpus} ({' and '.join(topics)} topics)")
                holds.append(ratio >= least)
        return _verdict(all(holds), ", ".join(shown)) if shown else Finding(NOT_RUN)

    return judge


def same_quality(rows: list[Row]) -> Finding:
    """Judge whether PCGS is as good as CGS, at equal numbers of topics."""
    ratio = relative_perplexity(rows, "PCGS^i", "CGS^i")
    return Finding(NOT_RUN) if ratio is None else _verdict(abs(ratio - 1) <= 2 * NOISE, f"PCGS {ratio:.3f} of CGS")


def worse(method: str, other: str) -> Callable[[list[Row]], Finding]:
    """Judge whether one method has the higher perplexity, at equal numbers of topics."""

    def judge(rows: list[Row]) -> Finding:
        ratio = relative_perplexity(rows, method, other)
        if ratio is None:
            reached = [max((row["n_topics"] for row in chosen(rows, method=m)), default=0) for m in (method, other)]
            return (
                Finding(NOT_RUN)
                if 0 in reached
                else Finding(
                    OUT_OF_REACH, f"no equal numbers of topics: {method} reached {reached[0]}, {other} {reached[1]}"
                )
            )
        return _verdict(ratio > 1, f"{method} {ratio:.3f} of {other}")

    return judge


def sweet_spot(rows: list[Row]) -> Finding:
    """Judge whether M = 2^6 to 2^8 is as good as M = infinity, and quicker."""
    shown, holds = [], []
    for corpus in values(rows, "corpus"):
        some = chosen(rows, corpus=corpus)
        middle = [row for row in some if row["log2_m"] in (6, 8)]
        collapsed = [row for row in some if row["log2_m"] is None]
        if middle and collapsed:
            quality, quickness = (
                mean_and_error(middle, key)[0] / mean_and_error(collapsed, key)[0]
                for key in ("perplexity", "cpu_seconds")
            )
            shown.append(f"{corpus}: perplexity {quality:.3f} and time {quickness:.2f} of M = infinity")
            holds.append(quality <= 1 + NOISE and quickness < 1)
    return _verdict(all(holds), "; ".join(shown)) if shown else Finding(NOT_RUN)


def covered(rows: list[Row]) -> Finding:
    """Judge whether nearly all documents are in slow topics at M = 64."""
    some = chosen(rows, log2_m=6)
    if not some:
        return Finding(NOT_RUN)
    shares = {
        corpus: mean_and_error(chosen(some, corpus=corpus), "share_in_slow_leaves")[0]
        for corpus in values(some, "corpus")
    }
    return _verdict(
        min(shares.values()) > 0.95, ", ".join(f"{share:.1%} on {corpus}" for corpus, share in shares.items())
    )


def compared(part: str, key: str, first: int, last: int, worst: float) -> Callable[[list[Row]], Finding]:
    """Judge whether perplexity with ``last`` is at most ``worst`` times that with ``first``, everywhere."""

    def judge(rows: list[Row]) -> Finding:
        shown, ratios = [], []
        for corpus in values(rows, "corpus"):
            for gamma in values(chosen(rows, part=part, corpus=corpus), "log10_gamma"):
                ends = [chosen(rows, part=part, corpus=corpus, log10_gamma=gamma, **{key: n}) for n in (first, last)]
                if all(ends):
                    low, high = (mean_and_error(end, "perplexity")[0] for end in ends)
                    topics = " and ".join(f"{mean_and_error(end, 'n_topics')[0]:.0f}" for end in ends[::-1])
                    shown.append(f"{corpus}, gamma 10^{gamma:.0f}: {high / low:.3f} ({topics} topics)")
                    ratios.append(high / low)
        return _verdict(max(ratios) <= worst, "; ".join(shown)) if ratios else Finding(NOT_RUN)

    return judge


def flat_in_threads(rows: list[Row]) -> Finding:
    """Judge by the perplexity of the most threads over that of one thread."""
    shown, ratios = [], []
    for corpus in values(rows, "corpus"):
        some = chosen(rows, corpus=corpus, way="threads")
        most = max(values(some, "n"), default=1)
        if most > 1:
            ratio = (
                mean_and_error(chosen(some, n=most), "perplexity")[0]
                / mean_and_error(chosen(some, n=1), "perplexity")[0]
            )
            shown.append(f"{corpus}: {ratio:.3f} with {most} threads")
            ratios.append(ratio)
    return _verdict(max(ratios) <= 1 + 2 * NOISE, "; ".join(shown)) if ratios else Finding(NOT_RUN)


def scaled(way: str, wanted: int, factor: float) -> Callable[[list[Row]], Finding]:
    """Judge the speed-up; with fewer cores than the paper's, it is out of reach."""

    def judge(rows: list[Row]) -> Finding:
        most = max(values(chosen(rows, way=way), "n"), default=1)
        found = {corpus: speed_up(rows, corpus, way, most) for corpus in values(rows, "corpus")}
        ratios = {corpus: ratio for corpus, ratio in found.items() if ratio is not None}
        if not ratios or most == 1:
            return Finding(NOT_RUN)
        shown = "; ".join(f"{ratio:.2f}x with {most} {way} on {corpus}" for corpus, ratio in ratios.items())
        return Finding(OUT_OF_REACH, shown) if most < wanted else _verdict(min(ratios.values()) >= factor, shown)

    return judge


def beyond(rows: list[Row]) -> Finding:
    """Say that this machine cannot decide the claim."""
    return Finding(OUT_OF_REACH)


def large_job(rows: list[Row]) -> Finding:
    """Estimate the core-hours of the paper's largest job at the mean rate of the longest runs."""
    rows = [row for row in rows if row["n_topics"] >= PAPER_TOPICS / 2]
    if not rows:
        return Finding(NOT_RUN)  # with far fewer topics, it would be a different job
    rows = chosen(rows, n_docs=values(rows, "n_docs")[-1])
    columns = ("tokens_per_cpu_second", "n_topics", "peak_bytes_per_token")
    rate, topics, size = (mean_and_error(rows, column)[0] for column in columns)
    return Finding(
        OUT_OF_REACH,
        f"{rate / 1e6:.2f} M tokens/s per core ({rows[0]['n_docs']:,} documents, {topics:,.0f} topics): "
        f"{core_hours(rate):,.0f} core-hours in place of {PAPER_CORE_HOURS:,.0f}; "
        f"{size:.1f} bytes a token beside the matrices",
    )


CLUSTER = "[cluster.md](cluster.md) has a model's prediction"
CLAIMS = (
    Claim("Table 2", "CGS is 48x as fast as hlda-c", "running_time", over_hlda_c("CGS", 48)),
    Claim("Table 2", "PCGS is 111x as fast as hlda-c", "running_time", over_hlda_c("PCGS", 111)),
    Claim(
        "Table 2",
        "PCGS is 2.3x as fast as CGS",
        "running_time",
        faster("CGS", "PCGS", 2.0),
        "our CGS has no logarithms in its inner loop and counts of two bytes, so it has little left to lose to phi",
    ),
    Claim(
        "Table 2",
        "BGS is 1.3x as fast as PCGS",
        "running_time",
        faster("PCGS", "BGS", 1.1),
        "BGS draws phi of all topics, unused children included, after every iteration, where PCGS takes the mean",
    ),
    Claim("Figure 3", "CGS and PCGS have similar perplexity", "quality", same_quality),
    Claim("Figure 3", "BGS has worse perplexity", "quality", worse("BGS^i", "CGS^i")),
    Claim("Figure 3", "the initialisation helps CGS", "quality", worse("CGS", "CGS^i")),
    Claim("Figure 3", "the initialisation helps PCGS", "quality", worse("PCGS", "PCGS^i")),
    Claim("Figure 3", "not worse than hlda-c (here: tomotopy)", "quality", worse("tomotopy", "PCGS^i")),
    Claim(
        "Figure 4",
        "M in [2^6, 2^9] is nearly as good as CGS and quicker",
        "threshold",
        sweet_spot,
        "our CGS is as quick as PCGS on corpora of this size",
    ),
    Claim(
        "Figure 4",
        "M = 64: slow topics have 99.7 % of the documents",
        "threshold",
        covered,
        "the paper's corpus has 293,000 documents, these have 1,500 and 3,000: few leaves reach 64",
    ),
    Claim(
        "Figure 5",
        "perplexity falls with I (here: I = 32 over I = 0)",
        "early_phase",
        compared("I", "init_iterations", 0, 32, 1.0),
    ),
    Claim(
        "Figure 6",
        "S = 5 is enough (here: S = 5 over S = 32)",
        "early_phase",
        compared("S", "init_samples", 32, 5, 1 + NOISE),
    ),
    Claim("Figure 7", "perplexity does not rise with threads", "scalability", flat_in_threads),
    Claim("Figure 7", f"8.56x with 12 threads; {CLUSTER}", "scalability", scaled("threads", 12, 8.56)),
    Claim("Figure 7", f"8.5x from 1 to 10 CPUs; {CLUSTER}", "scalability", scaled("ranks", 10, 8.5)),
    Claim("Figure 7", f"7.15x from 10 to 100 CPUs; {CLUSTER}", "scalability", beyond),
    Claim(
        "Section 5.4",
        "28 G tokens, 1,722 topics: 7 hours on 50 machines of 24 cores (8,400 core-hours)",
        "scale",
        large_job,
    ),
)
