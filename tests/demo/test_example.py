"""The corpus that comes with the package, from anywhere."""

import subprocess
import sys
from pathlib import Path

import pytest

from topicgrove import TextRules, load_example, open_store, read_corpus


def test_the_example_has_texts_titles_and_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    corpus = load_example()
    assert corpus.n_docs == 3000
    assert corpus.ids is not None
    assert corpus.titles is not None
    assert corpus.classes is not None
    assert corpus.vocabulary is not None
    assert "library" not in corpus.vocabulary


def test_options_and_rules_are_those_given() -> None:
    assert "library" in (load_example(max_df=1.0).vocabulary or ())
    assert "library" in (load_example(rules=TextRules()).vocabulary or ())
    assert load_example(titles=False).titles is None


INSTALLED = Path(sys.executable).parent / "topicgrove"


def run(folder: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([INSTALLED, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.parametrize("name", ["debian.jsonl", "debian.jsonl.gz", "texts"])
def test_the_command_writes_the_texts_to_an_empty_folder(tmp_path: Path, name: str) -> None:
    done = run(tmp_path, "example", "-o", name)
    assert done.stdout == f"{name}\n"
    assert [path.name for path in tmp_path.iterdir()] == [name]
    corpus, expected = read_corpus(tmp_path / name, max_df=0.1), load_example()
    assert corpus.vocabulary == expected.vocabulary
    assert corpus.n_tokens == expected.n_tokens
    assert corpus.ids is not None
    assert expected.ids is not None
    assert sorted(id.removesuffix(".txt") for id in corpus.ids) == sorted(expected.ids)  # noqa: A001


def test_sections_are_classes(tmp_path: Path) -> None:
    assert run(tmp_path, "example", "-q").stderr == ""
    run(tmp_path, "corpus", "build", "debian.jsonl", "-o", "store", "--class-field", "section", "-q")
    assert open_store(tmp_path / "store").classes == load_example().classes


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "mine.txt").write_text("mine")
    done = run(tmp_path, "example", "-o", "texts", code=74)
    assert done.stderr == "topicgrove: error: texts: is there already; choose the name of a new folder\n"
    assert [path.name for path in (tmp_path / "texts").iterdir()] == ["mine.txt"]


def test_other_formats_are_refused(tmp_path: Path) -> None:
    assert "x.csv: the name must end in .jsonl" in run(tmp_path, "example", "-o", "x.csv", code=2).stderr
    assert not any(tmp_path.iterdir())
