"""Results come from committed sources only, so that a commit tells which code made them."""

import subprocess

import pytest

from experiments import provenance
from experiments.provenance import SourcesError, changed_sources, check_committed, code
from experiments.run import main
from topicgrove.kernels.cache import sources_hash


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A small repository in place of ours."""
    for path in ("src/topicgrove/__init__.py", "experiments/quality.py", "experiments/results/quality.jsonl", "notes"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("first\n")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=N", "-c", "user.email=n@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "First"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    monkeypatch.setattr(provenance.topicgrove, "__file__", str(tmp_path / "src/topicgrove/__init__.py"))
    return tmp_path


def test_committed_sources_are_accepted(repository):
    check_committed()
    assert changed_sources() == []
    assert code().uncommitted is False
    assert len(code().commit) == 12
    assert code().kernels == sources_hash()


@pytest.mark.parametrize("path", ["experiments/quality.py", "src/topicgrove/__init__.py", "src/topicgrove/new.py"])
def test_changed_and_new_sources_are_refused_by_name(repository, path):
    (repository / path).write_text("changed\n")
    with pytest.raises(SourcesError, match=f"uncommitted sources: {path}; commit or stash them"):
        check_committed()
    assert code().uncommitted is True


def test_results_and_what_no_result_depends_on_may_be_uncommitted(repository):
    for path in ("experiments/results/quality.jsonl", "experiments/results/new.jsonl", "notes"):
        (repository / path).write_text("changed\n")
    check_committed()


def test_sources_that_git_does_not_know_are_refused(repository):
    (repository / ".git").rename(repository / "no-git")
    with pytest.raises(SourcesError, match="is not a git repository"):
        check_committed()
    assert code().commit is None
    assert code().uncommitted is None


def test_a_package_from_elsewhere_is_refused(repository, monkeypatch, tmp_path):
    monkeypatch.setattr(provenance.topicgrove, "__file__", "/usr/lib/topicgrove/__init__.py")
    with pytest.raises(SourcesError, match="topicgrove is imported from /usr/lib/topicgrove"):
        check_committed()


def test_an_experiment_is_not_begun_with_uncommitted_sources(repository, tmp_path_factory, capsys):
    (repository / "src" / "new.py").write_text("")
    results = tmp_path_factory.mktemp("results")
    with pytest.raises(SystemExit) as ended:
        main(["recovery", "--results", str(results)])
    assert ended.value.code == 1
    assert "error: uncommitted sources: src/new.py" in capsys.readouterr().err
    assert list(results.iterdir()) == []
