"""Verdicts on the paper's claims come from the runs alone."""

import re
import shutil
import subprocess
from hashlib import sha256

import pytest

from experiments.claims import CLAIMS, NOT_REPRODUCED, NOT_RUN, OUT_OF_REACH, REPRODUCED, Claim, same_quality, worse
from experiments.quality import relative_perplexity
from experiments.records import RESULTS, Record, append, file_of
from experiments.report import BEGIN, END, IMAGES, LEGEND, MARK, PAGE, SOURCE, filled, marked
from topicgrove.kernels.cache import sources_hash


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


@pytest.fixture
def add_runs(tmp_path):
    """Add runs of ``running_time`` by kernels with this hash to an empty folder of results."""

    def add(kernels, methods=("CGS", "PCGS"), **code):
        for method in methods:
            settings = {"corpus": "nips", "method": method, "log_gamma": -1.0}
            result = {"n_topics": 300, "cpu_seconds": 10.0}
            made_with = {"cores": 2, "processor": "P", "kernels": kernels, **code}
            append(file_of("running_time", tmp_path), Record(settings, result, made_with))
        return tmp_path

    return add


PAGE_OF_TWO_FIGURES = (
    f"A <!-- figures: running_time --> 1\n{BEGIN}what was there\n{END}B <!-- figures: scale --> {MARK} 2\n"
)


def line_with(words, text):
    lines = [line for line in text.splitlines() if words in line]
    assert len(lines) == 1
    return lines[0]


def test_a_reason_is_given_only_where_a_claim_is_not_reproduced(add_runs):
    text = filled(PAGE_OF_TWO_FIGURES, add_runs(sources_hash()))
    assert text.startswith("A ")
    assert text.endswith("2\n")
    assert "what was there" not in text
    assert "not reproduced, likely because" in line_with("PCGS is 2.3x", text)
    assert "2 runs on 2 cores of P." in text


def test_figures_of_todays_kernels_have_no_mark(add_runs):
    text = filled(PAGE_OF_TWO_FIGURES, add_runs(sources_hash()))
    assert text.count(MARK) == 1
    assert LEGEND in text
    assert "A <!-- figures: running_time --> 1\n" in text
    assert "B <!-- figures: scale --> 2\n" in text


@pytest.mark.parametrize("kernels", ["of another time", None])
def test_figures_of_other_kernels_are_marked_in_table_picture_and_prose(add_runs, kernels):
    text = filled(PAGE_OF_TWO_FIGURES, add_runs(kernels, commit="abc", uncommitted=True))
    assert f"| {MARK} 1.00x on nips (300 and 300 topics) | {MARK} not reproduced" in line_with("PCGS is 2.3x", text)
    assert MARK not in line_with("PCGS have similar perplexity", text)
    assert line_with("cores of P", text) == (
        f"{MARK} `experiments/running_time.py`, 2 runs on 2 cores of P, all by other kernels: "
        "2 of uncommitted changes to commit abc."
    )
    assert line_with("running_time.svg", text).startswith(f"![{MARK} ")
    assert f"A <!-- figures: running_time --> {MARK} 1\n" in text
    assert "B <!-- figures: scale --> 2\n" in text


def test_one_run_of_other_kernels_among_those_of_today_is_enough_for_a_mark(add_runs):
    add_runs("other", ["CGS", "PCGS"], commit="abc")
    text = filled(PAGE_OF_TWO_FIGURES, add_runs(sources_hash(), ["CGS"]))
    assert "2 runs on 2 cores of P, 1 of them by other kernels: 1 of commit abc." in text
    assert f"{MARK} 1.00x on nips" in line_with("PCGS is 2.3x", text)
    assert MARK not in filled(PAGE_OF_TWO_FIGURES, add_runs(sources_hash(), ["PCGS"])).replace(LEGEND, "")


def test_figures_for_which_no_results_are_kept_are_marked(tmp_path):
    assert marked("<!-- figures: not kept --> 3", tmp_path) == f"<!-- figures: not kept --> {MARK} 3"


def test_a_mark_for_no_experiment_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="figures of qualty: must be one of scale, quality"):
        marked("<!-- figures: qualty --> 3", tmp_path)


def test_every_paragraph_of_the_page_that_has_figures_says_of_what():
    page = PAGE.read_text(encoding="utf-8")
    assert page.count("<!-- figures:") == len(SOURCE.findall(page))
    reading = page.split("## How to read it")[1]
    for paragraph in re.split(r"\n\n|\n(?=- )", reading):
        if re.search(r"\d[\d,]*\.?\d*x|\d{3}", paragraph):
            assert SOURCE.search(paragraph), paragraph


def test_no_picture_is_in_the_repository_twice():
    root = PAGE.parents[1]
    if not (root / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this is not a git repository")
    command = ["git", "-C", str(root), "ls-files", "*.svg", "*.png"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    digests = [sha256((root / name).read_bytes()).hexdigest() for name in names]
    assert len(set(digests)) == len(digests) > 0


def test_every_experiment_with_results_has_a_picture_on_the_page():
    page = PAGE.read_text(encoding="utf-8")
    for path in RESULTS.glob("*.jsonl"):
        assert f"(images/reproduction-{path.stem}.svg)" in page
        assert (IMAGES / f"reproduction-{path.stem}.svg").exists()


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
