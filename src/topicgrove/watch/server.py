"""A web server for one page and its data: on this machine only, read-only, and closed to other sites' scripts."""

from __future__ import annotations

import errno
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedReader, RawIOBase
from socket import socket
from socketserver import TCPServer
from typing import Any, ClassVar

from topicgrove.explore.page import inert_json
from topicgrove.watch.live_page import LivePage

ADDRESS = "127.0.0.1"
FIRST_PORT, N_PORTS = 8710, 20
"""First port and number of ports to try, unless the user names one."""

LONGEST_BODY = 4096
"""Longest request body, in bytes, that is read before the answer. No body is of use here; longer ones are refused."""

SLOWEST = 10.0
"""Seconds that a client has to send its request, and again to take the answer."""

MOST_CONNECTIONS = 32
"""Maximum number of open connections; each takes a file and a thread that training may need."""

PAUSE = 0.1
"""Seconds before the next attempt to accept a connection when no file handles are left."""

HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
WAITING = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name="color-scheme" content="light dark"><title>TopicGrove</title></head>
<body><p>Training has not got through its first sweep yet. This page shows the tree as soon as there is one.</p>
</body></html>
"""
TOO_LARGE = (HTTPStatus.REQUEST_URI_TOO_LONG, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)


@contextmanager
def serve(page: LivePage, port: int | None = None) -> Iterator[str]:
    """Serve a page on 127.0.0.1 inside the block; yield its address.

    Parameters
    ----------
    page : LivePage
        The page to serve.
    port : int, default=None
        The port; OSError if it is taken. None finds a free one.

    Examples
    --------
    >>> from urllib.request import urlopen
    >>> with serve(LivePage()) as url, urlopen(url) as answer:
    ...     b"Training has not got through its first sweep yet" in answer.read()
    True
    """
    server = _bound(page, port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="watch", daemon=True)
    thread.start()
    try:
        yield f"http://{ADDRESS}:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    allow_reuse_port = False
    # On Windows this would let two servers have one port.
    allow_reuse_address = sys.platform != "win32"

    def __init__(self, page: LivePage, port: int) -> None:
        self.page = page
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((ADDRESS, port), _Handler)

    def server_bind(self) -> None:
        # HTTPServer's own asks the network for this machine's name, which can take long.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.server_address[1]

    def get_request(self) -> tuple[Any, Any]:
        try:
            return super().get_request()
        except OSError:
            # The connection stays in the queue: without a pause, the server would retry at once and forever.
            time.sleep(PAUSE)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._places.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that went away is not our error.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Incoming(RawIOBase):
    """A client's input stream; raises TimeoutError when its time is over, however often it sends a byte."""

    def __init__(self, connection: socket, seconds: float) -> None:
        self._connection = connection
        self._deadline = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout: ClassVar[float] = SLOWEST

    def setup(self) -> None:
        """Read with a deadline."""
        super().setup()
        self.rfile.close()
        self.rfile = BufferedReader(_Incoming(self.connection, self.timeout))

    def version_string(self) -> str:
        """Return the Server field of the answers."""
        return "TopicGrove"

    def parse_request(self) -> bool:
        """Return whether to answer; refusals are already sent by then."""
        if not super().parse_request():
            return False
        refusal = self._refusal()
        if refusal is not None:
            self.send_error(refusal)
        return refusal is None

    def _refusal(self) -> HTTPStatus | None:
        port = self.server.server_port
        # A name that leads here by DNS rebinding belongs to another site.
        if self.headers.get_all("Host", []) not in ([f"{ADDRESS}:{port}"], [f"localhost:{port}"]):
            return HTTPStatus.FORBIDDEN
        length = self.headers.get("Content-Length", "0")
        is_short = re.fullmatch("[0-9]{1,4}", length) and int(length) <= LONGEST_BODY
        if "Transfer-Encoding" in self.headers or not is_short:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        self.rfile.read(int(length))
        return None if self.command in ("GET", "HEAD") else HTTPStatus.METHOD_NOT_ALLOWED

    def do_GET(self) -> None:
        """Answer with the page or its data."""
        route = {"/": self._send_page, "/data.json": self._send_data}.get(self.path.partition("?")[0])
        if route is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self.server.page.ask()
        route()

    def do_HEAD(self) -> None:
        """Answer as to GET, without a body."""
        self.do_GET()

    def _send_page(self) -> None:
        html = self.server.page.html()
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", (html or WAITING).encode())

    def _send_data(self) -> None:
        page = self.server.page
        data = page.data()
        if data is None:
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE)
            return
        version = data["live"]["version"]
        tag = f'"{page.run}-{version}"'
        if self.headers.get("If-None-Match") == tag:
            self._send(HTTPStatus.NOT_MODIFIED, None, b"", {"ETag": tag})
        else:
            self._send(HTTPStatus.OK, "application/json", inert_json(data).encode(), {"ETag": tag})
        page.was_seen(version)

    def _send(self, status: HTTPStatus, kind: str | None, body: bytes, more: dict[str, str] | None = None) -> None:
        self.connection.settimeout(self.timeout)
        self.send_response(status)
        headers = HEADERS | (more or {})
        if kind is not None:
            headers |= {"Content-Type": kind, "Content-Length": str(len(body))}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse in a few words that repeat nothing of the request."""
        status = HTTPStatus(code)
        if status in TOO_LARGE:
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        self.close_connection = True
        more = {"Allow": "GET, HEAD"} if status is HTTPStatus.METHOD_NOT_ALLOWED else {}
        self._send(status, "text/plain; charset=utf-8", f"{status.value} {status.phrase}\n".encode(), more)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - as in http.server
        """Log nothing: standard error shows training's progress."""


def _bound(page: LivePage, port: int | None) -> _Server:
    if port is not None:
        try:
            return _Server(page, port)
        except OSError as error:
            what = f"{error.strerror}; choose another port, or none to get a free one"
            raise OSError(error.errno, what, f"port {port}") from None
    for candidate in range(FIRST_PORT, FIRST_PORT + N_PORTS):
        try:
            return _Server(page, candidate)
        except OSError as error:
            # Windows reserves some ports.
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
    return _Server(page, 0)
