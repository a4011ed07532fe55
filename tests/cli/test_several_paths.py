"""Models with several paths on the command line: commands take them, and options of the other model are refused."""

from __future__ import annotations

import json

import pytest

from topicgrove import NestedHDP, load, read_corpus
from topicgrove.cli import main
from topicgrove.watch import LivePage

FIT = ("--model", "nhdp", "--threads", "1", "-q", "--seed", "1", "--init-iterations", "4", "--learn-after", "5")


@pytest.fixture(scope="module")
def nested(texts, tmp_path_factory):
    path = tmp_path_factory.mktemp("nested") / "nested.grove"
    with pytest.raises(SystemExit) as end:
        main(["fit", str(texts), "-o", str(path), "--iterations", "12", *FIT])
    assert end.value.code == 0
    return path


def test_fit_has_the_parameters_that_were_given_and_the_defaults_of_its_model(nested):
    model = load(nested)
    assert isinstance(model, NestedHDP)
    given = {"n_iter": 12, "init_iterations": 4, "learn_after": 5, "random_state": 1}
    usual = NestedHDP().get_params(deep=False)
    kept = {name: value for name, value in model.get_params(deep=False).items() if name not in ("learn", "callbacks")}
    assert kept == {name: value for name, value in (usual | given).items() if name in kept}


def test_options_of_the_model_reach_it(command, texts, tmp_path):
    path = tmp_path / "n.grove"
    own = ("--no-grow", "--child-weight", "0.2", "--min-tokens", "7", "--sampler", "pcgs", "--collapse-below", "50")
    both = ("--beta", "0.1,0.08,0.06,0.04", "--gamma", "0.7", "--levels", "4", "--learn", "beta", "--init", "none")
    assert command("fit", texts, "-o", path, *FIT, "--iterations", "2", *own, *both).code == 0
    model = load(path)
    assert (model.grow, model.child_weight, model.min_tokens) == (False, 0.2, 7)
    assert (model.beta, model.gamma, model.n_levels) == ([0.1, 0.08, 0.06, 0.04], 0.7, 4)
    assert (model.learn, model.init) == (["beta"], "none")
    assert (model.sampler, model.collapse_below) == ("pcgs", 50)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--model", "nhdp", "--refine"), "--refine is an option of --model hlda alone"),
        (("--model", "nhdp", "--alpha", "0.1"), "--alpha is an option of --model hlda alone"),
        (("--model", "nhdp", "--sampler", "bgs"), "sampler must be one of 'cgs', 'pcgs'"),
        (("--model", "nhdp", "--collapse-below", "0"), "collapse_below must be a number from 1 on"),
        (("--child-weight", "2"), "--child-weight is an option of --model nhdp alone; this is --model hlda"),
        (("--no-grow",), "--grow is an option of --model nhdp alone"),
        (("--model", "nhdp", "--init", "bottom_up"), "init must be one of 'branches', 'hlda', 'none'"),
        (("--init", "hlda"), "init must be one of 'bottom_up'"),
        (("--model", "nhdp", "--gamma", "1,2"), "gamma must be one number; got"),
        (("--model", "nhdp", "--learn", "alpha"), "learn must hold names out of 'beta'"),
        (("--model", "nhdp", "--beta", "0"), "beta must lie between"),
        (("--model", "lda"), "lda"),
    ],
)
def test_options_that_a_model_does_not_have_are_refused_by_name(command, texts, tmp_path, options, said):
    refused = command("fit", texts, "-o", tmp_path / "n.grove", *options)
    assert refused.code == 2
    assert said in refused.err
    assert not (tmp_path / "n.grove").exists()


def test_options_in_a_file_are_given_too(command, texts, tmp_path):
    (tmp_path / "run.toml").write_text('model = "nhdp"\nrefine = true\n', encoding="utf-8")
    refused = command("fit", texts, "-o", tmp_path / "n.grove", "--config", tmp_path / "run.toml")
    assert (refused.code, "--refine is an option" in refused.err) == (2, True)


def test_info_names_the_model(command, nested, model):
    facts = json.loads(command("info", nested, "--json").out)
    assert (facts["model"], facts["iterations"], facts["n_docs"]) == ("nhdp", 12, 80)
    assert json.loads(command("info", model, "--json").out)["model"] == "hlda"


def test_the_tree_is_shown_with_its_documents(command, nested):
    assert command("show", nested, "--all").out.startswith("80 [0]")
    assert "doc-" in command("show", nested, "--topic", "1").out
    assert len(command("top-words", nested, "--topic", "1").out.splitlines()) == 1


def test_documents_of_a_topic_are_all_with_a_word_in_it(command, nested):
    counts = load(nested).document_topics_
    topic = int(counts.astype(bool).sum(axis=0)[1:].argmax()) + 1
    everything = json.loads(command("documents", nested, topic, "-n", "1000", "--json").out)
    assert len(everything) == counts[:, [topic]].nnz
    shares = [one["share"] for one in everything]
    assert shares == sorted(shares, reverse=True)
    assert f"1 of {len(everything)} documents" in command("documents", nested, topic, "-n", "1").err


def test_new_documents_are_placed_in_all_formats(command, nested, new_texts, tmp_path):
    out = command("infer", nested, new_texts, "-o", "-", "-q").out
    rows = [json.loads(line) for line in out.splitlines()]
    parent = load(nested).tree_.parent
    assert len(rows) == 13
    for row in rows:
        assert row["path"][0] == 0
        assert all(parent[below] == above for above, below in zip(row["path"], row["path"][1:], strict=False))
        assert sum(row["proportions"].values()) == pytest.approx(1, abs=1e-3)
        assert row["log_probability"] <= 0
    for suffix in (".csv", ".parquet"):
        assert command("infer", nested, new_texts, "-o", tmp_path / f"new{suffix}", "-q").code == 0


def test_a_tree_is_measured_with_classes(command, nested, texts):
    figures = json.loads(command("evaluate", nested, texts, "--class-field", "label_path", "-q", "--json").out)
    assert figures["perplexity"] > 1
    assert figures["n_trained_on"] == 80
    assert figures["classes"]["nmi"][0][0] > 0.5


@pytest.mark.parametrize("suffix", [".json", ".csv", ".dot", ".nwk", ".graphml"])
def test_it_is_exported(command, nested, tmp_path, suffix):
    assert command("export", nested, "-o", tmp_path / f"tree{suffix}").code == 0
    assert (tmp_path / f"tree{suffix}").stat().st_size > 0


def test_it_is_compared_with_itself_and_with_the_other_model(command, nested, model):
    n_topics = len(load(nested).tree_)
    assert f"{n_topics} and {n_topics} topics: {n_topics} have a counterpart" in command("compare", nested, nested).out
    assert command("compare", nested, model).code == 0


def test_pages_pictures_and_shares_over_classes_are_made(command, nested, texts, tmp_path):
    page = tmp_path / "tree.html"
    for options in ((), ("--corpus", texts), ("--min-docs", "5")):
        assert command("explore", nested, "-o", page, *options).code == 0
    assert "doc-1" in page.read_text(encoding="utf-8")
    rows = json.loads(command("over", nested, texts, "--by", "label_path", "--json").out)
    assert {row["group"] for row in rows} >= {"space/moon", "sport/ice"}
    load(nested).tree_.plot(tmp_path / "tree.svg")
    load(nested).plot_training(tmp_path / "training.svg")


def test_a_run_goes_on_from_its_checkpoints(command, texts, nested, tmp_path):
    directory, path = tmp_path / "run", tmp_path / "n.grove"
    parts = ("--checkpoint", directory, "--checkpoint-every", "3")
    assert command("fit", texts, "-o", path, "--iterations", "7", *parts, *FIT).code == 0
    facts = json.loads(command("info", directory, "--json").out)
    assert (facts["model"], facts["iteration"]) == ("nhdp", 7)
    assert command("resume", directory, "-o", path, "--iterations", "12", "--threads", "1", "-q").code == 0
    assert (load(path).token_topics_ == load(nested).token_topics_).all()


def test_documents_are_held_out_and_measured(command, texts, tmp_path):
    path = tmp_path / "n.grove"
    done = command("fit", texts, "-o", path, "--iterations", "3", "--hold-out", "10%", "--json", *FIT)
    facts = json.loads(done.out)
    assert facts["n_held_out"] == 8
    assert facts["held_out_perplexity"] > 1
    figures = json.loads(command("evaluate", path, texts, "--held-out", "--json", "-q").out)
    assert (figures["n_docs"], figures["n_trained_on"]) == (8, 0)


def test_a_watched_run_shows_trees_without_unused_topics(texts):
    corpus = read_corpus(texts)
    page, n_unused = LivePage(), []

    def look(event):
        tree = event.tree(corpus)
        tree.check()
        inside = tree.n_tokens.copy()
        for topic in range(len(tree) - 1, 0, -1):
            inside[tree.parent[topic]] += inside[topic]
        assert inside.min() > 0
        n_unused.append(len(event.parent) - len(tree))

    follow = page.follow(corpus)
    NestedHDP(n_iter=9, init_iterations=3, learn_after=3, random_state=0, callbacks=[follow, look]).fit(corpus)
    assert max(n_unused) > 0
    page.ask()
    assert page.data()["live"]["n_iter"] == 9
    assert "live" in page.html()
