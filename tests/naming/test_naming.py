"""Names of topics: bottom-up, at most one question a topic, resumable, checked; endpoint and command are driven."""

import json
import os
import shlex
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from topicgrove import TopicTree
from topicgrove.tree.naming.namers import CommandNamer, EndpointNamer, NamerError


def tree_of(n_leaves, n_inner=4):
    """A tree of three levels, with a word of its own for each topic."""
    parent = [-1] + [0] * n_inner + [1 + i * n_inner // n_leaves for i in range(n_leaves)]
    counts = np.eye(len(parent), dtype=int) * 5
    return TopicTree.from_arrays(counts, parent=parent, vocabulary=[f"word{i}" for i in range(len(parent))])


class Server:
    """A fake endpoint on the loopback address."""

    def __init__(self):
        self.requests, self.answer = [], lambda n: f"Name {n}"
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, dict(self.headers), body))
                answer = outer.answer(len(outer.requests))
                if isinstance(answer, tuple):
                    status, headers, data = answer
                else:
                    status, headers = 200, {}
                    data = json.dumps({"choices": [{"message": {"content": answer}}]}).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    one = Server()
    yield one
    one.server.shutdown()
    one.server.server_close()


def test_children_are_named_before_their_parents_who_see_the_names():
    seen = []

    def namer(question):
        seen.append(question)
        return f"T{question.topic}"

    tree = tree_of(8)
    naming = tree.name_topics(namer)
    order = [question.topic for question in seen]
    assert len(order) == len(set(order)) == len(tree) == naming.n_asked
    for question in seen:
        children = tree.children[question.topic].tolist()
        assert question.children == tuple(f"T{child}" for child in children)
        assert all(order.index(child) < order.index(question.topic) for child in children)
    assert tree.name(3) == "T3"


def test_400_topics_are_asked_about_at_most_once_by_an_endpoint(server, tmp_path):
    tree = tree_of(395)
    namer = EndpointNamer(server.url, "fake")
    assert tree.name_topics(namer, cache=tmp_path / "c.jsonl", max_requests=150).n_left == 250
    again = tree_of(395)
    naming = again.name_topics(namer, cache=tmp_path / "c.jsonl")
    assert (naming.n_asked, naming.n_cached, naming.n_left) == (250, 150, 0)
    assert len(server.requests) == 400
    asked = [request[2]["messages"][1]["content"].split("\n")[0] for request in server.requests]
    assert len(set(asked)) == 400
    assert tree_of(395).name_topics(namer, cache=tmp_path / "c.jsonl").n_asked == 0


KILLED = """
import os, sys
sys.path.insert(0, {folder!r})
from test_naming import tree_of
def namer(question):
    with open({log!r}, "a") as file:
        file.write(f"{{question.topic}}\\n")
    if len(open({log!r}).read().split()) == {kill_at}:
        os.kill(os.getpid(), 9)
    return f"T{{question.topic}}"
tree_of(395).name_topics(namer, cache={cache!r})
"""


@pytest.mark.posix
def test_naming_resumes_after_a_kill(tmp_path):
    log, cache = tmp_path / "log", tmp_path / "cache"
    program = {"folder": os.path.dirname(__file__), "log": str(log), "cache": str(cache)}
    killed = subprocess.run([sys.executable, "-c", KILLED.format(**program, kill_at=120)], check=False)
    assert killed.returncode == -9
    with open(cache, "ab") as file:
        file.write(b'{"key": "cut o')
    done = subprocess.run([sys.executable, "-c", KILLED.format(**program, kill_at=-1)], check=False)
    assert done.returncode == 0
    asked = log.read_text().split()
    # Only the question during which the process died is asked again.
    assert (len(asked), len(set(asked))) == (401, 400)
    assert all(json.loads(line) for line in cache.read_text().splitlines())


def test_a_command_gets_json_and_gives_a_name():
    code = "import json, sys; q = json.load(sys.stdin); print('Name:', q['words'][0].upper(), len(q['children']))"
    tree = tree_of(3)
    tree.name_topics(CommandNamer(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"))
    assert (tree.name(0), tree.name(5)) == ("WORD0 4", "WORD5 0")


def test_a_command_that_fails_is_reported_and_given_up():
    code = "import sys; sys.exit('no \\x1b[2J key')"
    tree = tree_of(8)
    naming = tree.name_topics(CommandNamer(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"))
    assert (naming.n_asked, len(naming.failures), naming.n_left, tree.names) == (3, 3, len(tree), {})
    why = next(iter(naming.failures.values()))
    assert why == "the command ended with code 1: no \\x1b[2J key"
    with pytest.raises(FileNotFoundError, match="there is no such command"):
        tree.name_topics(CommandNamer("no-such-command-here"))


@pytest.mark.parametrize("answer", ["", " \n", "x" * 81, "\x1b[31mred", "a\u202eb"])
def test_what_is_no_name_is_not_taken(server, answer):
    tree = tree_of(2, 1)
    server.answer = lambda n: answer if n == 1 else "Fine"
    naming = tree.name_topics(EndpointNamer(server.url, "fake"))
    assert list(naming.failures) == [3]
    assert set(tree.names) == {0, 1, 2}


def test_hostile_names_are_text(server):
    tree = tree_of(2, 1)
    server.answer = lambda n: '"<script>alert(1)</script>"'
    tree.name_topics(EndpointNamer(server.url, "fake"))
    assert tree.name(1) == "<script>alert(1)</script>"
    assert "<script" not in tree._repr_html_()


def test_the_key_is_sent_to_the_endpoint_alone_and_kept_nowhere(server, monkeypatch, tmp_path):
    monkeypatch.setenv("MY_KEY", "secret-7")
    namer = EndpointNamer(server.url, "fake", key_variable="MY_KEY")
    tree_of(2, 1).name_topics(namer, cache=tmp_path / "c.jsonl")
    assert server.requests[0][1]["Authorization"] == "Bearer secret-7"
    assert "secret-7" not in (tmp_path / "c.jsonl").read_text(encoding="utf-8")
    other = Server()
    server.answer = lambda n: (302, {"Location": other.url}, b"")
    naming = tree_of(2, 1).name_topics(namer)
    assert other.requests == []
    assert all("302" in why and "secret-7" not in why for why in naming.failures.values())
    other.server.shutdown()
    other.server.server_close()
    with pytest.raises(ValueError, match="must begin with https://, as there is a key in MY_KEY"):
        EndpointNamer("http://example.org/v1", "fake", key_variable="MY_KEY")


@pytest.mark.parametrize("answer", [(500, {}, b"oops"), (200, {}, b"[1]"), (200, {}, b"\xff"), (200, {}, b"[" * 9999)])
def test_an_endpoint_that_answers_otherwise_is_a_failure(server, answer):
    server.answer = lambda n: answer
    naming = tree_of(9).name_topics(EndpointNamer(server.url, "fake"))
    assert (naming.n_asked, len(naming.failures), naming.names) == (3, 3, {})


def test_an_endpoint_that_is_not_there_is_a_failure(server):
    server.server.shutdown()
    server.server.server_close()
    naming = tree_of(2, 1).name_topics(EndpointNamer(server.url, "fake"))
    assert len(naming.failures) == 3


@pytest.mark.parametrize("url", ["ftp://x/v1", "file:///etc/passwd", "localhost", "https://user:pw@host/v1"])
def test_other_urls_are_refused(url):
    with pytest.raises(ValueError, match="url must"):
        EndpointNamer(url, "fake")


def test_names_of_users_stay_unless_they_are_to_go():
    tree = tree_of(2, 1)
    tree.set_names({1: "mine"})
    assert 1 not in tree.name_topics(lambda question: "new").names
    assert tree.name(1) == "mine"
    tree.name_topics(lambda question: "new", overwrite=True)
    assert tree.name(1) == "new"


def test_a_dry_run_asks_and_sets_nothing(server, tmp_path):
    tree = tree_of(5)
    naming = tree.name_topics(EndpointNamer(server.url, "fake"), dry_run=True, cache=tmp_path / "c")
    assert (len(naming.prompts), naming.n_asked, server.requests, tree.names) == (len(tree), 0, [], {})
    assert "word3" in naming.prompts[3]
    assert not (tmp_path / "c").exists()


def test_another_file_is_no_cache(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello\nworld\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"notes.txt:1: not a cache of names"):
        tree_of(2).name_topics(lambda question: "x", cache=path)
    assert path.read_text(encoding="utf-8") == "hello\nworld\n"


def test_errors_of_a_callable_are_its_callers(tmp_path):
    def broken(question):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tree_of(2).name_topics(broken)
    with pytest.raises(TypeError, match="namer must be callable"):
        tree_of(2).name_topics("gpt")

    def unsure(question):
        raise NamerError("no idea")

    assert set(tree_of(2).name_topics(unsure).failures.values()) == {"no idea"}


def test_keyphrases_come_from_titles_and_are_unique():
    titles = ["neural networks for images", "training neural networks", "soil water in spring", "soil water models"] * 3
    counts = [[0, 0, 0, 0, 50, 40], [9, 9, 0, 0, 1, 0], [0, 0, 9, 9, 1, 0]]
    words = ["neural", "networks", "soil", "water", "data", "study"]
    tree = TopicTree.from_arrays(
        counts,
        parent=[-1, 0, 0],
        vocabulary=words,
        document_topics=[1, 1, 2, 2] * 3,
        titles=titles,
    )
    tree.name_topics()
    assert tree.name(1).startswith("Neural networks")
    assert tree.name(2).startswith("Soil water")
    assert len(set(tree.names.values())) == 3
