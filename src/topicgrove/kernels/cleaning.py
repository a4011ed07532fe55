"""Text without what is not words: links, addresses, markup and contractions go, byte by byte, in one pass.

Every junk span becomes one blank. All markers are ASCII, so UTF-8 text stays UTF-8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel, part

URLS, EMAILS, HTML, LATEX, CONTRACTIONS = 1, 2, 4, 8, 16
"""Kinds of junk, as bits."""

N_KINDS = 5
LONGEST_MATH = 400
"""Bytes between two dollar signs that are taken for a formula."""

_BLANK = np.uint8(ord(" "))
_URL, _DOT, _AT, _TAG, _BACKSLASH, _DOLLAR, _APOSTROPHE = 1, 2, 3, 4, 5, 6, 7
_ORDER = np.array([0, 0, 0, 1, 2, 3, 3, 4])
"""The kind that a role belongs to."""
_KINDS = np.array([0, URLS, URLS, EMAILS, HTML, LATEX, LATEX, CONTRACTIONS])


def _roles() -> NDArray[np.uint8]:
    """What each byte may begin."""
    roles = np.zeros(256, np.uint8)
    for letters, role in (("hHwWfF", _URL), ("@", _AT), ("<", _TAG), ("\\", _BACKSLASH), ("$", _DOLLAR), (".", _DOT)):
        roles[[ord(letter) for letter in letters]] = role
    roles[ord("'")] = roles[0xE2] = _APOSTROPHE
    return roles


def _bytes(words: str) -> NDArray[np.uint8]:
    """Words with blanks between them as one array, each with a NUL behind it."""
    return np.frombuffer(f"{words} ".replace(" ", "\0").encode(), np.uint8)


_ROLES = _roles()
_SCHEMES = _bytes("http:// https:// ftp:// www.")
_DOMAINS = _bytes("com org edu gov mil info uk de fr ca au jp eu ch nl fi dk ru cn br kr pl cz")
_SUFFIXES = _bytes("s d m ll ve re t")
_WITH_ARGUMENT = _bytes(
    "begin end label ref eqref cite citep citet url href usepackage documentclass includegraphics input"
)
_RAW_ELEMENTS = _bytes("script style")
_COMMENT, _COMMENT_END = _bytes("<!--"), _bytes("-->")
_SCRIPT_END, _STYLE_END = _bytes("</script"), _bytes("</style")


@kernel
def clean_documents(
    data: NDArray[np.uint8],
    doc_ends: NDArray[np.int64],
    kinds: int,
    out: NDArray[np.uint8],
    out_ends: NDArray[np.int64],
    removed: NDArray[np.int64],
) -> None:
    """Copy documents to ``out``, as long as ``data``, without junk of the ``kinds``; count spans in ``removed``."""
    position = 0
    written = 0
    for document in range(len(doc_ends)):
        end = doc_ends[document]
        first = written
        in_path = False
        search = True  # for the ends of comments and scripts, until one is missing
        while position < end:
            byte = data[position]
            role = _ROLES[byte] if kinds & _KINDS[_ROLES[byte]] else 0
            if role == _BACKSLASH:
                in_path = in_path or (written > first and out[written - 1] == ord(":"))
                letter = -1 if in_path else accented(data, position, end)
                if letter >= 0:
                    out[written] = data[letter]
                    written += 1
                    position = letter + 2 if letter + 1 < end and data[letter + 1] == ord("}") else letter + 1
                    continue
                if position + 1 < end and data[position + 1] == ord("'"):
                    position += 1  # an apostrophe that was escaped
                    continue
            elif byte <= _BLANK:
                in_path = False
            stop = position
            if role != 0 and not (role == _BACKSLASH and in_path):
                before = out[written - 1] if written > first else _BLANK
                stop = junk_end(data, position, end, role, before)
                if stop < 0 and search:
                    stop = raw_end(data, position, end, -stop)
                    search = stop > 0
                stop = abs(stop)
            if stop > position:
                written = rewound(out, first, written, role, data[stop - 1])
                removed[_ORDER[role]] += 1
                byte = _BLANK
            out[written] = byte
            written += 1
            position = max(stop, position + 1)
        out_ends[document] = written


@part
def junk_end(data: NDArray[np.uint8], position: int, end: int, role: int, before: int) -> int:
    """The end of the junk that a byte of this role announces, negative if a tag's content goes, too; or the position.

    ``before`` is the last byte that was kept.
    """
    stop = position
    if role == _URL:
        if not is_alphanumeric(before):
            stop = url_end(data, position, end)
    elif role == _DOT:
        if is_alphanumeric(before):
            stop = host_end(data, position, end)
    elif role == _AT:
        if is_host(before):
            stop = address_end(data, position, end)
    elif role == _TAG:
        stop = tag_end(data, position, end)
    elif role == _BACKSLASH:
        stop = command_end(data, position, end)
    elif role == _DOLLAR:
        stop = math_end(data, position, end)
    elif is_letter(before):
        stop = contraction_end(data, position, end)
        if stop > position and data[stop - 1] | 32 == ord("t") and before | 32 != ord("n"):
            stop = position
    return stop


@part
def rewound(out: NDArray[np.uint8], first: int, written: int, role: int, last: int) -> int:
    """Where to write on: before the host, the user or the negated verb that the junk belongs to.

    ``last`` is the last byte of the junk.
    """
    if role == _APOSTROPHE and last | 32 == ord("t"):
        while written > first and is_alphanumeric(out[written - 1]):
            written -= 1
    elif role in (_DOT, _AT):
        while written > first and is_host(out[written - 1]):
            written -= 1
    return written


@part
def is_letter(byte: int) -> bool:
    """Whether a byte is a letter of ASCII, or belongs to a character beyond it."""
    return ord("a") <= (byte | 32) <= ord("z") or byte >= 128


@part
def is_alphanumeric(byte: int) -> bool:
    """Whether a byte is a letter, a digit or an underscore."""
    return is_letter(byte) or ord("0") <= byte <= ord("9") or byte == ord("_")


@part
def is_host(byte: int) -> bool:
    """Whether a byte may stand in the name of a host or a user."""
    return is_alphanumeric(byte) or byte == ord("-") or byte == ord(".") or byte == ord("+") or byte == ord("%")


@part
def lower(byte: int) -> int:
    """The small letter of a capital of ASCII; any other byte as it is."""
    return byte + 32 if ord("A") <= byte <= ord("Z") else byte


@part
def ends_link(byte: int) -> bool:
    """Whether a link ends before a byte."""
    return byte <= 32 or byte == ord("<") or byte == ord(">") or byte == ord('"')


@part
def word_at(data: NDArray[np.uint8], position: int, end: int, words: NDArray[np.uint8]) -> int:
    """The end of the first of ``words`` that stands at a position, whatever its case; -1 if none does."""
    i = 0
    while i < len(words):
        at = position
        while words[i] != 0 and at < end and lower(data[at]) == words[i]:
            at += 1
            i += 1
        if words[i] == 0:
            return at
        while words[i] != 0:
            i += 1
        i += 1
    return -1


@part
def whole_word_at(data: NDArray[np.uint8], position: int, end: int, words: NDArray[np.uint8]) -> int:
    """The end of the run of letters at a position, if that is one of ``words``; else -1."""
    stop = position
    while stop < end and is_letter(data[stop]):
        stop += 1
    i = 0
    while i < len(words):
        at = position
        while words[i] != 0 and at < stop and lower(data[at]) == words[i]:
            at += 1
            i += 1
        if words[i] == 0 and at == stop:
            return stop
        while words[i] != 0:
            i += 1
        i += 1
    return -1


@part
def find(data: NDArray[np.uint8], position: int, end: int, word: NDArray[np.uint8]) -> int:
    """Where a word begins, from a position on; -1 if nowhere."""
    for at in range(position, end):
        if word_at(data, at, end, word) >= 0:
            return at
    return -1


@part
def url_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """The end of the link that begins here, or the position itself."""
    at = word_at(data, position, end, _SCHEMES)
    if at < 0 or at == end or ends_link(data[at]):
        return position
    while at < end and not ends_link(data[at]):
        at += 1
    return at


@part
def host_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """The end of a link without a scheme whose last dot, before a known domain, is here; or the position itself."""
    at = whole_word_at(data, position + 1, end, _DOMAINS)
    if at < 0 or (at < end and (is_alphanumeric(data[at]) or data[at] == ord("-"))):
        return position
    if at + 1 < end and data[at] == ord(".") and is_alphanumeric(data[at + 1]):
        return position  # a later dot may be the last
    if at < end and (data[at] == ord("/") or data[at] == ord(":")):
        while at < end and not ends_link(data[at]):
            at += 1
    return at


@part
def address_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """The end of the e-mail address whose @ is here, or the position itself."""
    at = position + 1
    while at < end and is_host(data[at]):
        at += 1
    return at if at > position + 1 else position


@part
def tag_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """The end of the tag that begins here, negative if more than the tag is to go; or the position itself."""
    at = word_at(data, position, end, _COMMENT)
    if at >= 0:
        return -at
    at = position + 1
    if at < end and (data[at] == ord("/") or data[at] == ord("!") or data[at] == ord("?")):
        at += 1
    if at >= end or not ord("a") <= (data[at] | 32) <= ord("z"):
        return position
    while at < end and (is_alphanumeric(data[at]) or data[at] == ord(":") or data[at] == ord("-")):
        at += 1
    is_tag = data[position + 1] == ord("!") or data[position + 1] == ord("?")
    is_bare = True
    separated = at < end and (data[at] <= 32 or data[at] == ord("/"))
    while at < end and data[at] != ord(">") and data[at] != ord("<"):
        is_tag = is_tag or (separated and data[at] == ord("="))
        is_bare = is_bare and (data[at] <= 32 or data[at] == ord("/"))
        at += 1
    if at == end or data[at] == ord("<") or not (is_tag or is_bare):
        return position
    if whole_word_at(data, position + 1, end, _RAW_ELEMENTS) >= 0:
        return -(at + 1)
    return at + 1


@part
def raw_end(data: NDArray[np.uint8], position: int, end: int, after: int) -> int:
    """The end of the comment, script or style at a position; ``-after`` if it has none."""
    if data[position + 1] == ord("!"):
        at = find(data, after, end, _COMMENT_END)
        return at + 3 if at >= 0 else -after
    is_script = data[position + 2] | 32 == ord("c")
    at = find(data, after, end, _SCRIPT_END) if is_script else find(data, after, end, _STYLE_END)
    return at if at >= 0 else -after


@part
def accented(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Where the letter stands that the LaTeX accent at a backslash puts a mark on; -1 if there is no accent."""
    if position + 2 >= end:
        return -1
    mark = data[position + 1]
    at = position + 2
    by_letter = mark == ord("v") or mark == ord("c") or mark == ord("H") or mark == ord("u") or mark == ord("k")
    if by_letter:
        if data[at] != ord("{"):
            return -1
    elif mark == ord("'"):
        if contraction_end(data, position + 1, end) > position + 1:
            return -1
    elif mark != ord('"') and mark != ord("`") and mark != ord("^") and mark != ord("~"):
        return -1
    if data[at] == ord("{"):
        at += 1
        if at + 1 >= end or data[at + 1] != ord("}"):
            return -1
    return at if ord("a") <= (data[at] | 32) <= ord("z") else -1


@part
def command_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """The end of the LaTeX command that begins here, or the position itself."""
    at = position + 1
    if at + 1 < end and data[at] in (ord("n"), ord("r"), ord("t")) and ord("A") <= data[at + 1] <= ord("Z"):
        return at + 1  # a line break or a tab that was escaped
    while at < end and ord("a") <= (data[at] | 32) <= ord("z"):
        at += 1
    if at == position + 1:
        return position
    if whole_word_at(data, position + 1, end, _WITH_ARGUMENT) >= 0:
        at = argument_end(data, at, end, ord("["), ord("]"))
        at = argument_end(data, at, end, ord("{"), ord("}"))
    return at


@part
def argument_end(data: NDArray[np.uint8], position: int, end: int, opening: int, closing: int) -> int:
    """The end of the argument in brackets that begins here, or the position itself."""
    if position >= end or data[position] != opening:
        return position
    at = position + 1
    while at < end and at < position + LONGEST_MATH and data[at] != closing and data[at] != opening:
        at += 1
    return at + 1 if at < end and data[at] == closing else position


@part
def math_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """The end of the formula that begins at a dollar sign, or the position itself.

    As in Pandoc, no white space follows the first dollar sign or stands before the last, and no digit follows that.
    """
    at = position + 1
    double = at < end and data[at] == ord("$")
    if double:
        at += 1
    if at >= end or data[at] <= 32:
        return position
    limit = min(end, position + LONGEST_MATH)
    while at < limit and data[at] != ord("$"):
        if data[at] == 10 and data[at - 1] == 10:
            return position
        at += 1
    if at >= limit or data[at - 1] <= 32 or at == position + 1:
        return position
    at += 1
    if double:
        return at + 1 if at < end and data[at] == ord("$") else position
    return position if at < end and ord("0") <= data[at] <= ord("9") else at


@part
def contraction_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """The end of 's, 'd, 'm, 'll, 've, 're or 't that begins at this apostrophe, or the position itself."""
    at = position + 1
    if data[position] != ord("'"):
        if position + 2 >= end or data[position + 1] != 0x80 or data[position + 2] != 0x99:
            return position
        at = position + 3
    stop = whole_word_at(data, at, end, _SUFFIXES)
    return position if stop < 0 or (stop < end and is_alphanumeric(data[stop])) else stop
