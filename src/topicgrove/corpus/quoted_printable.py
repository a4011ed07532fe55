"""Decode quoted-printable mail: =E9 for a letter, = at the end of a line that continues."""

from __future__ import annotations

import re
from string import ascii_lowercase

_LEAST_BREAKS, _MOST_BREAKS = 3, 100
_AFTER_WORD = frozenset(f"{ascii_lowercase} ,.")
_BREAK = re.compile(r"=[ \t]*\r?\n")
_BYTES = re.compile(r"(?:=[0-9A-F]{2})+")


def decoded(text: str) -> str:
    r"""Decode quoted-printable text; return other text unchanged.

    Text is taken for quoted-printable if its headers say so, or if it has three continued lines and an encoded byte.

    >>> decoded("Content-Transfer-Encoding: quoted-printable\n\ncaf=C3=A9 by the se=\na").split("\n\n")[1]
    'café by the sea'
    >>> decoded("x=20")
    'x=20'
    """
    is_said = "uoted-" in text and "quoted-printable" in text.lower()
    if not is_said and not _looks_encoded(text):
        return text
    return _BYTES.sub(lambda match: _characters(match[0]), _BREAK.sub("", text))


def _looks_encoded(text: str) -> bool:
    """Return whether lines continue after words; lines of uuencode may end alike, but have no small letters."""
    broken = "=\r\n" if "=\r\n" in text else "=\n"
    at, n_breaks = text.find(broken), 0
    for _ in range(_MOST_BREAKS):
        if at < 0 or n_breaks == _LEAST_BREAKS:
            break
        n_breaks += text[at - 1 : at] in _AFTER_WORD
        at = text.find(broken, at + 1)
    return n_breaks == _LEAST_BREAKS and _BYTES.search(text) is not None


def _characters(encoded: str) -> str:
    data = bytes.fromhex(encoded.replace("=", ""))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return text.replace("\0", " ")
