"""The server answers only readers on this machine, and only read requests."""

import errno
import html
import json
import socket
import threading
import time
from contextlib import ExitStack, suppress

import pytest

from topicgrove.watch import LivePage, serve, server
from topicgrove.watch.server import LONGEST_BODY, MOST_CONNECTIONS


def test_it_listens_on_the_loopback_address_alone(server):
    with open("/proc/net/tcp", encoding="utf-8") as file:
        listening = [line.split()[1] for line in file if line.split()[3] == "0A"]
    assert [address for address in listening if address.endswith(f":{server.port:04X}")] == [
        f"0100007F:{server.port:04X}"
    ]


def test_data_is_what_the_page_shows(ask, server):
    answer = ask()
    data = json.loads(answer.body)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert data == json.loads(json.dumps(server.page.data()))
    assert data["live"] == {"iteration": 2, "n_iter": 2, "done": True, "version": 1}
    assert data["history"]["iteration"] == [1, 2]


def test_the_page_has_its_data_in_it(ask):
    answer = ask(path="/")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "connect-src 'self'" in html.unescape(answer.body.decode())
    assert b"<script>alert(1)" not in answer.body


def test_queries_do_not_matter(ask):
    assert ask(path="/data.json?again=1").status == 200


def test_data_that_the_client_has_is_not_sent_again(ask, server):
    tag = ask().headers["ETag"]
    again = ask(headers=[("If-None-Match", tag)])
    assert (again.status, again.body) == (304, b"")
    server.page.finish(server.page._look.tree, server.page._look.history, wait=0)
    assert ask(headers=[("If-None-Match", tag)]).status == 200


def test_another_run_on_the_same_port_has_other_tags():
    assert LivePage().run != LivePage().run


def test_head_is_a_get_without_a_body(ask):
    answer = ask("HEAD")
    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers["Content-Length"]) > 100


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "[::1]:{port}"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_host_is_refused(ask, server, host, method):
    assert ask(method, host=host.format(port=server.port)).status == 403


def test_two_hosts_are_refused(ask, server):
    assert ask(headers=[("Host", "evil.example")]).status == 403


def test_localhost_is_this_machine(ask, server):
    assert ask(host=f"localhost:{server.port}").status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_nothing_can_be_written(ask, method):
    answer = ask(method, headers=[("Content-Length", "3"), ("Origin", "http://evil.example")], body=b"a=1")
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "path",
    [
        "/../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/", "/data.json/..", "/./data.json", "/etc/passwd",
        "http://evil.example/", "*", "/data.json%00", "data.json", "/favicon.ico",
    ],
)  # fmt: skip
def test_other_paths_are_not_found(ask, path):
    answer = ask(path=path)
    assert answer.status == 404
    assert b"evil" not in answer.body


def test_other_sites_scripts_get_nothing(ask):
    for path in ("/", "/data.json"):
        headers = ask(path=path, headers=[("Origin", "http://evil.example")]).headers
        assert not any(name.lower().startswith("access-control-") for name in headers)
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "header",
    [
        ("Content-Length", str(LONGEST_BODY + 1)),
        ("Content-Length", "1" + "0" * 5000),
        ("Content-Length", "0" * 10 + "9" * 6),
        ("Content-Length", "0" * 10 + "9" * 18),
        ("Content-Length", "0" * 10 + "9" * 5000),
        ("Content-Length", "-1"),
        ("Transfer-Encoding", "chunked"),
    ],
)
def test_large_requests_are_refused_unread(ask, method, header):
    assert ask(method, headers=[header]).status == 413


@pytest.mark.parametrize(
    "request_head",
    [
        {"path": "/" + "a" * 65530},
        {"headers": [("X-Long", "a" * 70000)]},
        {"headers": [(f"X-{i}", "a") for i in range(200)]},
    ],
)
def test_endless_heads_are_refused(ask, request_head):
    assert ask(**request_head).status == 413


def test_nonsense_is_refused(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(b"\x16\x03\x01 nonsense\r\n\r\n")
        assert connection.recv(1000).startswith(b"400 ")


def test_slow_clients_do_not_keep_others_waiting(ask, server):
    slow = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(20)]
    try:
        for connection in slow:
            connection.sendall(b"GET /data.json HT")
        assert ask().status == 200
    finally:
        for connection in slow:
            connection.close()


def test_silent_clients_are_given_up(server, monkeypatch):
    monkeypatch.setattr("topicgrove.watch.server._Handler.timeout", 0.2)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(b"GET /")
        assert connection.recv(1000) == b""


def test_clients_that_send_byte_by_byte_are_given_up(server, monkeypatch):
    monkeypatch.setattr("topicgrove.watch.server._Handler.timeout", 0.5)
    with socket.create_connection(("127.0.0.1", server.port), timeout=0.05) as connection:
        for _ in range(200):
            try:
                connection.sendall(b"a")
                assert connection.recv(1) == b""
                break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        else:
            raise AssertionError("the connection is still open")


def test_further_connections_are_closed_at_once(ask, server, monkeypatch):
    monkeypatch.setattr("topicgrove.watch.server._Handler.timeout", 60.0)
    with ExitStack() as clients:
        held = [clients.enter_context(slow_client(server.port)) for _ in range(MOST_CONNECTIONS)]
        refused = [clients.enter_context(slow_client(server.port)) for _ in range(100)]
        for connection in refused:
            with suppress(ConnectionError):
                assert connection.recv(1) == b""
        for connection in held:
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):
                connection.recv(1)
    assert wait_until(lambda: answers(ask)), "closed connections make room"


def slow_client(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    with suppress(ConnectionError):
        connection.sendall(b"GET /data.json HT")
    return connection


def answers(ask):
    with suppress(ConnectionError, IndexError):
        return ask().status == 200
    return False


def wait_until(is_so, seconds=10.0):
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_a_connection_that_gets_no_thread_takes_no_place(ask, server, monkeypatch, capfd):
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", lambda thread: 1 / 0)
        for _ in range(MOST_CONNECTIONS + 1):
            with pytest.raises((ConnectionError, IndexError)):
                ask()
    assert ask().status == 200
    capfd.readouterr()


def test_clients_that_go_away_leave_no_trace(ask, server, capfd):
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            connection.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    assert ask().status == 200
    assert capfd.readouterr().err == ""


def test_errors_of_ours_are_not_hidden(ask, server, monkeypatch, capfd):
    monkeypatch.setattr(server.page, "data", lambda: 1 / 0)
    with pytest.raises(IndexError):
        ask()
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_before_the_first_sweep_the_page_says_so():
    page = LivePage()
    with serve(page) as url:
        port = int(url.rstrip("/").rpartition(":")[2])
        for path, status, text in (("/", b"200", b"first sweep"), ("/data.json", b"503", b"503")):
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                connection.sendall(f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
                answer = b"".join(iter(lambda: connection.recv(65536), b""))
            assert answer.split()[1] == status
            assert text in answer


def test_a_busy_port_that_was_asked_for_is_an_error(server):
    with pytest.raises(OSError, match="choose another port") as error, serve(LivePage(), server.port):
        pass
    assert error.value.errno == errno.EADDRINUSE
    assert error.value.filename == f"port {server.port}"


def test_busy_ports_are_passed_over(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        monkeypatch.setattr(server, "FIRST_PORT", port)
        monkeypatch.setattr(server, "N_PORTS", 1)
        with serve(LivePage()) as url:
            assert not url.endswith(f":{port}/")


def test_the_port_is_freed_and_no_thread_stays():
    before = set(threading.enumerate())
    with serve(LivePage()) as url:
        port = int(url.rstrip("/").rpartition(":")[2])
        assert set(threading.enumerate()) - before
    assert set(threading.enumerate()) <= before
    with socket.create_server(("127.0.0.1", port), reuse_port=False):
        pass


def test_an_error_in_the_block_ends_the_server(page):
    before = set(threading.enumerate())
    with pytest.raises(RuntimeError), serve(page):
        raise RuntimeError
    assert set(threading.enumerate()) <= before
