"""A served page of a small tree, and a way to send any request."""

import socket
from types import SimpleNamespace
from urllib.parse import urlsplit

import numpy as np
import pytest
from scipy import sparse

from topicgrove.tree import TopicTree
from topicgrove.watch import LivePage, serve

HISTORY = [{"iteration": i, "seconds": 0.1, "n_topics_per_level": [1, 1], "log_joint": -9.0} for i in (1, 2)]


def small_tree(words=("moon", "</script><script>alert(1)</script>")):
    counts = sparse.csr_array([[2, 1], [0, 3]])
    return TopicTree(
        np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([3, 3]), word_counts=counts, vocabulary=words
    )


@pytest.fixture
def page():
    page = LivePage("a run")
    page.finish(small_tree(), HISTORY, wait=0)
    return page


@pytest.fixture
def server(page):
    with serve(page) as url:
        yield SimpleNamespace(url=url, port=urlsplit(url).port, page=page)


@pytest.fixture
def ask(server):
    """Send raw bytes; return status, headers and body of the answer."""

    def send(method="GET", path="/data.json", headers=(), body=b"", host=None):
        lines = [f"{method} {path} HTTP/1.1"]
        if host != "":
            lines.append(f"Host: {host or f'127.0.0.1:{server.port}'}")
        lines += [f"{name}: {value}" for name, value in headers]
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
            return parse(connection)

    return send


def parse(connection):
    answer = b""
    while part := connection.recv(65536):
        answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return SimpleNamespace(status=int(first.split()[1]), headers=headers, body=body)
