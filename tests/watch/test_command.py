"""``--watch`` of fit and resume, as the installed command."""

import json
import random
import re
import signal
import socket
import subprocess
import sys
import time
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from topicgrove import load

WORDS = ["moon", "orbit", "rocket", "crater", "hockey", "puck", "skate", "goalie", "people", "year"]

BEFORE_THE_FIRST_SWEEP = 503


@pytest.fixture(scope="session")
def texts(tmp_path_factory):
    rng = random.Random(0)
    path = tmp_path_factory.mktemp("texts") / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": " ".join(rng.choices(WORDS, k=25))}) + "\n" for _ in range(60)))
    return path


@pytest.fixture
def command():
    started = []

    def start(*arguments):
        line = [sys.executable, "-m", "topicgrove", *map(str, arguments), "--threads", "1"]
        started.append(subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for one in started:
        with one:
            one.kill()


def address(process):
    line = process.stderr.readline()
    found = re.search(r"watch the tree grow at (http://127\.0\.0\.1:\d+/)$", line.rstrip())
    assert found, line + process.stderr.read()
    return found[1]


def data_when(url, is_right):
    """Wait for a condition, and return what the page shows then."""
    for _ in range(1200):
        try:
            with urlopen(f"{url}data.json", timeout=60) as answer:
                data = json.load(answer)
            if is_right(data):
                return data
        except HTTPError as error:
            if error.code != BEFORE_THE_FIRST_SWEEP:
                raise
            error.close()
        time.sleep(0.05)
    raise AssertionError("the page never got there")


def test_fit_serves_the_tree_until_it_is_stopped(command, texts, tmp_path):
    process = command("fit", texts, "-o", tmp_path / "m.grove", "--iterations", 10**8, "--seed", 1, "--watch", "-q")
    url = address(process)
    first = data_when(url, lambda data: True)
    later = data_when(url, lambda data: data["live"]["version"] > first["live"]["version"])
    assert later["live"]["iteration"] > first["live"]["iteration"]
    assert later["n_docs"] == 60
    assert later["title"] == "texts.jsonl"
    assert not later["live"]["done"]
    process.send_signal(signal.SIGINT)
    assert process.wait(300) == 130
    with pytest.raises(URLError):
        urlopen(url, timeout=60)
    assert url not in process.stderr.read()
    assert load(tmp_path / "m.grove").tree_.n_docs[0] == 60


def test_the_last_thing_served_is_the_model(command, texts, tmp_path):
    process = command("fit", texts, "-o", tmp_path / "m.grove", "--iterations", 300, "--seed", 1, "--watch", "--json")
    data = data_when(address(process), lambda data: data["live"]["done"])
    assert process.wait(300) == 0
    assert data["topics"]["n_docs"] == load(tmp_path / "m.grove").tree_.n_docs.tolist()
    assert data["history"]["iteration"][-1] == 300
    assert json.loads(process.stdout.read())["iterations"] == 300


def test_resume_goes_on_with_the_history_from_before(command, texts, tmp_path):
    checkpoint = tmp_path / "run"
    fit = command("fit", texts, "-o", tmp_path / "m.grove", "--iterations", 5, "--checkpoint", checkpoint, "-q")
    assert fit.wait(300) == 0
    process = command("resume", checkpoint, "-o", tmp_path / "m.grove", "--iterations", 10**8, "--watch")
    data = data_when(address(process), lambda data: True)
    assert data["history"]["iteration"] == [1, 2, 3, 4, 5, 6]
    process.send_signal(signal.SIGTERM)
    assert process.wait(300) == 143


def test_a_busy_port_is_an_error_before_anything_is_read(command, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        process = command("fit", tmp_path / "none.jsonl", "-o", tmp_path / "m.grove", "--watch", "--port", port)
        assert process.wait(300) == 74
        assert process.stderr.read().splitlines() == [
            f"topicgrove: error: port {port}: Address already in use; choose another port, or none to get a free one"
        ]


def test_a_port_alone_is_an_error(command, texts, tmp_path):
    process = command("fit", texts, "-o", tmp_path / "m.grove", "--port", "9000")
    assert process.wait(300) == 2
    assert "--port is the port of the page that --watch serves" in process.stderr.read()
