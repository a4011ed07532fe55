"""Namers: programs and language models that answer a question about a topic with a name."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from topicgrove.tree.naming.questions import SYSTEM
from topicgrove.tree.outline import escape

if TYPE_CHECKING:
    from topicgrove.tree.naming.questions import TopicQuestion

SECONDS = 120.0
"""How long a namer may take for a topic."""

MOST_BYTES = 1 << 20
"""Largest answer that is read."""

AROUND = " \t*_#`\"'\u2018\u2019\u201c\u201d\u00ab\u00bb"
"""What stands around a name in an answer."""

KEY = "OPENAI_API_KEY"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class NamerError(Exception):
    """A namer gave no name for a topic; the message says why."""


class CommandNamer:
    """A command that reads a question as JSON on standard input and writes a name to standard output.

    No shell is involved: quotes work as in one, but pipes and variables do not.

    >>> import sys
    >>> CommandNamer(f"{sys.executable} -c 'print(1)'").identity.startswith("command: ")
    True
    """

    def __init__(self, command: str, seconds: float = SECONDS) -> None:
        self._arguments = shlex.split(command, posix=os.name != "nt")
        if not self._arguments:
            raise ValueError("command must not be empty")
        self._seconds = seconds
        self.identity = f"command: {command}"

    def shown(self, question: TopicQuestion) -> str:
        """Return what the command gets."""
        return json.dumps(question.to_dict(), ensure_ascii=True)

    def __call__(self, question: TopicQuestion) -> str:
        """Run the command."""
        try:
            done = subprocess.run(
                self._arguments,
                input=self.shown(question).encode(),
                capture_output=True,
                timeout=self._seconds,
                check=False,
            )
        except FileNotFoundError:
            raise FileNotFoundError(f"{self._arguments[0]}: there is no such command") from None
        except subprocess.TimeoutExpired:
            raise NamerError(f"the command took more than {self._seconds:g} seconds") from None
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise NamerError(escape(f"the command ended with code {done.returncode}: {said[-1] if said else ''}"[:300]))
        return done.stdout[:MOST_BYTES].decode("utf-8", "replace")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: Any) -> None:
        """Follow nothing: the key is for this host alone."""


class EndpointNamer:
    """A language model behind an OpenAI-compatible URL, such as ``http://localhost:11434/v1``.

    Parameters
    ----------
    url : str
        The base, to which ``/chat/completions`` is added.
    model : str
        The model's name there.
    key_variable : str, default="OPENAI_API_KEY"
        The environment variable with the key, if there is one. The key is sent to no other host, and only with https or
        to this machine; it is never stored.
    seconds : float, default=120
        How long an answer may take.

    Examples
    --------
    >>> EndpointNamer("http://localhost:11434/v1", "llama3.2").identity
    'endpoint: http://localhost:11434/v1 llama3.2'
    """

    def __init__(self, url: str, model: str, key_variable: str = KEY, seconds: float = SECONDS) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url must begin with http:// or https://; got {url!r:.200}")
        if parts.username or parts.password:
            raise ValueError(f"url must not hold a password: put the key into the variable {key_variable}")
        self._url = url.rstrip("/") + "/chat/completions"
        self._model, self._seconds = model, seconds
        self._key = os.environ.get(key_variable)
        if self._key and parts.scheme == "http" and parts.hostname not in LOOPBACK:
            raise ValueError(f"url must begin with https://, as there is a key in {key_variable}; unset it for none")
        self._opener = urllib.request.build_opener(_NoRedirects())
        self.identity = f"endpoint: {url.rstrip('/')} {model}"

    def shown(self, question: TopicQuestion) -> str:
        """Return the messages that the model gets, in words."""
        return f"{SYSTEM}\n\n{question.prompt()}"

    def __call__(self, question: TopicQuestion) -> str:
        """Ask the model."""
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question.prompt()}]
        body = {"model": self._model, "messages": messages, "temperature": 0, "max_tokens": 512}
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, json.dumps(body).encode(), headers)
        try:
            with self._opener.open(request, timeout=self._seconds) as answer:
                data = answer.read(MOST_BYTES)
            return str(json.loads(data)["choices"][0]["message"]["content"])
        except urllib.error.HTTPError as error:
            raise NamerError(f"{self._url} answered {error.code} {escape(str(error.reason))[:100]}") from None
        except (OSError, urllib.error.URLError) as error:
            raise NamerError(f"{self._url}: {escape(str(getattr(error, 'reason', error)))[:200]}") from None
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            raise NamerError(f"{self._url}: the answer is not that of an OpenAI-compatible endpoint") from None


def name_in(answer: str) -> str:
    r"""Return the name in an answer: its first line, without reasoning, quotes or marks around it.

    >>> name_in('<think>hm</think>\n**Name:** "Space travel."\n\nBecause ...')
    'Space travel'
    """
    text = re.sub(r"(?is)<think>.*?</think>", " ", answer[:MOST_BYTES])
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line = lines[0] if lines else ""
    line = re.sub(r"(?i)^[*_#\s]*(topic\s+)?name[*_]*\s*:[*_\s]*", "", line)
    return line.strip(AROUND).rstrip(".").strip(AROUND)
