import gzip
import importlib.util
import json
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

import topicgrove
from topicgrove import demo
from topicgrove.corpus.example import EXAMPLE

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_demo_corpus.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_demo_corpus", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def records() -> list[dict[str, str]]:
    with gzip.open(EXAMPLE, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_bundled_corpus_is_what_its_readme_says(records):
    readme = (EXAMPLE.parent / "README.md").read_text(encoding="utf-8")
    assert f"{len(records):,} Debian packages" in readme
    assert "**Licence.**" in readme
    assert {tuple(record) for record in records} == {("id", "title", "text", "section")}


def test_bundled_documents_are_within_the_limits_of_the_script(script, records):
    names = [record["id"] for record in records]
    assert names == sorted(set(names))
    assert min(len(script.words_of(record["text"])) for record in records) >= script.LEAST_WORDS
    sections = Counter(record["section"] for record in records)
    assert max(sections.values()) <= script.MOST_PER_SECTION
    assert not sections.keys() & script.UNWANTED_SECTIONS


def test_bundled_files_are_small():
    assert sum(path.stat().st_size for path in EXAMPLE.parent.iterdir()) < 900_000


PACKAGES = """\
Package: tool
Section: utils
Description: cuts trees
Description-md5: 1

Package: tool-extra
Source: tool (1.0)
Section: utils
Description: more of it
Description-md5: 2

Package: tool-doc
Source: tool
Section: doc
Description: manual

Package: terse
Section: utils
Description: does it"""

TRANSLATIONS = """\
Package: tool
Description-md5: 1
Description-en: cuts trees
 Old trees are cut into many new ones.
 .
 This package has the tool.
 .
 It is quick.

Package: tool-extra
Description-md5: 2
Description-en: more of it
 Many more ways of cutting old and new trees, with a saw, an axe and a lot of time."""


@pytest.fixture
def packages(script, tmp_path):
    for name, text in (("Packages", PACKAGES), ("Translation-en", TRANSLATIONS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return script.read_packages([tmp_path / "Packages"], [tmp_path / "Translation-en"])


def test_descriptions_are_the_long_ones_without_their_refrain(packages):
    texts = {package.name: package.text for package in packages}
    assert texts["tool"] == "cuts trees\nOld trees are cut into many new ones.\nIt is quick."
    assert texts["terse"] == "does it"


def test_of_a_source_the_package_with_its_name_is_taken(script, packages, monkeypatch):
    monkeypatch.setattr(script, "LEAST_WORDS", 5)
    wanted = [package for package in packages if script.is_wanted(package)]
    assert [package.name for package in wanted] == ["tool", "tool-extra"]
    (chosen,) = script.one_per_source(wanted)
    assert script.record(chosen) == {
        "id": "tool",
        "title": "cuts trees",
        "text": "cuts trees. Old trees are cut into many new ones. It is quick.",
        "section": "utils",
    }


def test_no_section_takes_more_than_its_share(script, monkeypatch):
    monkeypatch.setattr(script, "MOST_PER_SECTION", 2)
    found = [script.Package(f"p{i}", f"p{i}", "a" if i < 5 else "b", "") for i in range(6)]
    chosen = script.choose(found)
    assert Counter(package.section for package in chosen) == {"a": 2, "b": 1}
    assert chosen == script.choose(found)


def test_script_writes_the_same_bytes_every_time(script):
    packages = [script.Package("a", "a", "section", "title\ntexté")]
    packed = script.packed(packages)
    assert packed == script.packed(packages)
    assert packed[4:8] == bytes(4), "the time in the header"
    assert json.loads(gzip.decompress(packed)) == script.record(packages[0])


def test_demo_prints_a_tree_and_leaves_files_that_can_be_used(tmp_path, capsys):
    demo.run(tmp_path / "out", n_iter=2, n_jobs=1)
    printed = capsys.readouterr().out
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"debian.corpus", "debian.grove", "debian-tree.json", "debian.html"}
    assert f"\n   {(tmp_path / 'out' / 'debian.html').resolve()}\n" in printed
    model = topicgrove.load(tmp_path / "out" / "debian.grove")
    corpus = topicgrove.open_store(tmp_path / "out" / "debian.corpus")
    assert len(model.paths_) == corpus.n_docs > 1000
    assert f"\n{corpus.n_docs} [0] " in printed
    assert f"topicgrove show {tmp_path / 'out' / 'debian.grove'} --topic 1" in printed
    assert json.loads((tmp_path / "out" / "debian-tree.json").read_text()) == model.tree_.to_dict()
    assert model.tree_.documents.ids[0] == corpus.ids[0]
    assert corpus.classes is not None


def test_commands_that_the_demo_prints_give_the_same_model(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    demo.run(Path("out"), n_iter=3, n_jobs=1)
    lines = [line.split()[2:] for line in capsys.readouterr().out.splitlines() if line.startswith("   $ topicgrove")]
    build, fit = lines[0], lines[1]
    expected = topicgrove.load("out/debian.grove")
    from topicgrove.cli import main

    for arguments in ([*build, "--overwrite", "-q"], [*fit, "--iterations", "3", "--threads", "1", "-q"]):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 0
    again = topicgrove.load("out/debian.grove")
    assert (again.paths_ == expected.paths_).all()
