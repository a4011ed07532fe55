"""``fit --seeds`` reads a taxonomy from JSON or TOML, and says what is wrong with other files."""

import pytest

import topicgrove

TOML = """
sport = ["team", "penalty"]

[space]
words = ["Light"]
moon = ["lunar", "crater", "nosuchword"]
"""
JSON = '{"sport": ["team", "penalty"], "space": {"words": ["Light"], "moon": ["lunar", "crater", "nosuchword"]}}'


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("name", "content"), [("seeds.toml", TOML), ("seeds.json", JSON), ("seeds", JSON)])
def test_files_of_both_kinds_seed_the_tree(command, texts, tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8")
    options = ["--seeds", tmp_path / name, "--iterations", 4, "--seed", 1, "-q"]
    done = command("fit", texts, "-o", tmp_path / "m.grove", *options)
    assert done.code == 0
    assert "seeds: 1 of 6 words are not in the vocabulary and left out: 'nosuchword' ('space > moon')" in done.err
    model = topicgrove.load(tmp_path / "m.grove")
    assert sorted(model.tree_.names.values()) == ["moon", "space", "sport"]
    assert "space" in command("show", tmp_path / "m.grove", "--all").out


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.toml", "sport = ", "s.toml: not TOML: "),
        ("s.toml", "sport = 2020-01-01", "s.toml: seeds['sport'] must be a list of words"),
        ("s.json", '{"sport": [}', "s.json:1: not JSON: "),
        ("s.json", '{"a": ["x"], "a": ["y"]}', "s.json: 'a' is there twice"),
        ("s.json", "[" * 100_000, "s.json: nested too deeply"),
        ("s.json", '{"a":' * 800 + "[]" + "}" * 800, "s.json: "),
        ("s.json", "[]", "s.json: seeds must be a dict"),
        ("s.json", '{"\\u001b[31m": 3}', "s.json: seeds['\\x1b[31m'] must be a list of words; got 3"),
        ("s.txt", "sport: team", "s.txt:1: not JSON: Expecting value; TOML needs the suffix .toml"),
        ("s.json", '{"a": {"b": {"c": {"d": ["e"]}}}}', "is on level 4, but the last level is 3; raise n_levels"),
    ],
)
def test_other_files_are_refused_before_documents_are_read(command, tmp_path, name, content, message):
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = command("fit", tmp_path / "missing.jsonl", "-o", tmp_path / "m.grove", "--seeds", tmp_path / name)
    assert done.code == 2
    assert message in done.err.replace("\n", " ")


def test_a_file_that_is_missing_or_not_utf_8_is_named(command, texts, tmp_path):
    (tmp_path / "s.json").write_bytes(b"{\xff")
    for name, code, message in (("s.json", 2, "s.json: not UTF-8 at byte 1"), ("none.json", 74, "none.json")):
        done = command("fit", texts, "-o", tmp_path / "m.grove", "--seeds", tmp_path / name)
        assert done.code == code
        assert message in done.err


@pytest.mark.parametrize(("given", "target"), [("20", 20), ("3,6,12", [3, 6, 12])])
def test_topics_are_aimed_at_in_all_or_by_level(command, texts, tmp_path, given, target):
    options = ["--target-topics", given, "--iterations", 3, "--seed", 1, "-q"]
    assert command("fit", texts, "-o", tmp_path / "m.grove", *options).code == 0
    assert topicgrove.load(tmp_path / "m.grove").target_topics == target


@pytest.mark.parametrize("given", ["many", "10,", "3,6"])
def test_other_targets_are_refused(command, texts, tmp_path, given):
    done = command("fit", texts, "-o", tmp_path / "m.grove", "--target-topics", given)
    assert done.code == 2
    assert "target" in done.err
