"""Verdicts on the paper's claims come from the runs alone."""

import json

import pytest

from experiments.claims import CLAIMS, NOT_REPRODUCED, NOT_RUN, OUT_OF_REACH, REPRODUCED, Claim, same_quality, worse
from experiments.quality import relative_perplexity
from experiments.report import BEGIN, END, PAGE, filled


def row(method, n_topics, perplexity):
    return {"corpus": "c", "method": method, "n_topics": n_topics, "perplexity": perplexity}


def test_without_runs_every_claim_says_so(tmp_path):
    assert {claim.find(tmp_path).verdict for claim in CLAIMS} == {NOT_RUN}


def test_perplexity_is_compared_at_equal_numbers_of_topics():
    rows = [row("A", 10, 100.0), row("A", 1000, 80.0), row("B", 100, 99.0)]
    assert relative_perplexity(rows, "B", "A") == pytest.approx(1.1)


def test_runs_beyond_the_others_numbers_of_topics_are_not_compared():
    rows = [row("A", 10, 100.0), row("A", 100, 80.0), row("B", 500, 99.0)]
    assert relative_perplexity(rows, "B", "A") is None
    finding = worse("B", "A")(rows)
    assert finding.verdict == OUT_OF_REACH
    assert "B reached 500, A 100" in finding.numbers


@pytest.mark.parametrize(("perplexity", "verdict"), [(90.5, REPRODUCED), (95.0, NOT_REPRODUCED)])
def test_pcgs_is_like_cgs_within_the_noise(perplexity, verdict):
    rows = [row("CGS^i", 10, 100.0), row("CGS^i", 1000, 80.0), row("PCGS^i", 100, perplexity)]
    assert same_quality(rows).verdict == verdict


def test_speed_is_judged_by_the_setting_nearest_to_300_topics():
    judge = next(claim for claim in CLAIMS if claim.says.startswith("PCGS is 2.3x")).judge
    rows = [
        {"corpus": "c", "method": method, "log_gamma": gamma, "n_topics": n_topics, "cpu_seconds": seconds}
        for method, gamma, n_topics, seconds in [
            ("CGS", -1.0, 290, 23.0),
            ("CGS", -9.0, 30, 1.0),
            ("PCGS", -1.0, 900, 99.0),
            ("PCGS", -9.0, 310, 10.0),
        ]
    ]
    finding = judge(rows)
    assert finding.verdict == REPRODUCED
    assert finding.numbers == "2.30x on c (290 and 310 topics)"


def test_a_reason_is_given_only_where_a_claim_is_not_reproduced(tmp_path):
    page = f"before\n{BEGIN}what was there\n{END}after\n"
    home = tmp_path / "running_time"
    home.mkdir()
    for method, seconds in (("CGS", 10.0), ("PCGS", 10.0)):
        settings = {"corpus": "nips", "method": method, "log_gamma": -1.0}
        result = {"n_topics": 300, "cpu_seconds": seconds}
        record = {"settings": settings, "result": result, "made_with": {"cores": 2, "processor": "P"}}
        (home / f"{method}.json").write_text(json.dumps(record))
    text = filled(page, tmp_path)
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "what was there" not in text
    lines = [line for line in text.splitlines() if "PCGS is 2.3x" in line]
    assert len(lines) == 1
    assert "not reproduced, likely because" in lines[0]
    assert "2 runs on 2 cores of P" in text


def test_page_of_the_repository_is_what_the_results_say():
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page, "run python experiments/report.py"


def test_every_claim_of_the_paper_is_there():
    wanted = (
        "48x",
        "111x",
        "2.3x",
        "1.3x",
        "similar perplexity",
        "worse perplexity",
        "initialisation helps",
        "[2^6, 2^9]",
    )
    wanted += ("S = 5", "rise with threads", "8.56x", "8.5x", "7.15x")
    for words in wanted:
        assert any(words in claim.says for claim in CLAIMS), words
    assert all(isinstance(claim, Claim) for claim in CLAIMS)


def test_a_run_with_far_fewer_topics_says_nothing_about_the_large_job():
    judge = next(claim for claim in CLAIMS if claim.experiment == "scale").judge
    rows = [{"n_docs": 60_000, "n_topics": 26, "tokens_per_cpu_second": 6e6, "peak_bytes_per_token": 9.0}]
    assert judge(rows).verdict == NOT_RUN
    rows[0]["n_topics"] = 1_500
    assert "6.00 M tokens/s per core" in judge(rows).numbers


def test_the_large_job_is_judged_by_the_mean_over_seeds_of_the_largest_corpus():
    judge = next(claim for claim in CLAIMS if claim.experiment == "scale").judge
    small = {"n_docs": 60_000, "n_topics": 1_500, "tokens_per_cpu_second": 9e6, "peak_bytes_per_token": 9.0}
    large = [{**small, "n_docs": 300_000, "tokens_per_cpu_second": rate} for rate in (3e6, 5e6)]
    assert "4.00 M tokens/s per core (300,000 documents" in judge([small, *large]).numbers
