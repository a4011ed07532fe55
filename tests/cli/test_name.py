"""Names of topics, on the command line."""

import json
import shlex
import sys

from topicgrove import load


def python(code):
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


def test_keyphrases_name_a_new_model(command, model, tmp_path):
    done = command("name", model, "-o", tmp_path / "named.grove")
    assert (done.code, done.out) == (0, "")
    tree = load(tmp_path / "named.grove").tree_
    assert set(tree.names) == set(range(len(tree)))
    assert load(model).tree_.names == {}


def test_a_command_names_and_goes_on_from_its_cache(command, model, texts, tmp_path):
    log, names = tmp_path / "log", tmp_path / "names.json"
    code = (
        "import json, sys; q = json.load(sys.stdin); "
        f"open({str(log)!r}, 'a').write('x'); print(q['words'][0], bool(q['documents'][0].get('text')))"
    )
    first = command("name", model, "-o", names, "--command", python(code), "--corpus", texts, "--max-requests", 2)
    assert (first.code, "have no name yet" in first.err) == (0, True)
    assert command("name", model, "-o", names, "--command", python(code), "--corpus", texts, "-q").code == 0
    written = json.loads(names.read_text(encoding="utf-8"))
    assert len(written) == len(load(model).tree_) == len(log.read_text(encoding="utf-8"))
    assert all(name.endswith("True") for name in written.values())


def test_a_dry_run_prints_prompts(command, model):
    shown = command("name", model, "--dry-run", "--url", "http://localhost:9/v1", "--model", "none")
    assert shown.code == 0
    assert shown.out.count("Name of the topic:") == len(load(model).tree_)
    assert "nothing was asked" in shown.err


def test_wrong_options_are_refused(command, model, tmp_path):
    out = tmp_path / "x.grove"
    assert "give -o" in command("name", model).err
    assert "go together" in command("name", model, "-o", out, "--url", "http://localhost:9/v1").err
    both = ("--command", "cat", "--url", "http://localhost/v1", "--model", "m")
    assert "not both" in command("name", model, "-o", out, *both).err
    missing = command("name", model, "-o", out, "--command", "no-such-command")
    assert (missing.code, "there is no such command" in missing.err) == (74, True)
    assert not out.exists()
