"""Clean text in one pass over its bytes: remove links, addresses, markup, contractions and other junk.

Every junk span becomes one blank. All markers are ASCII, so UTF-8 text stays UTF-8.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.characters import (
    byte_words,
    contraction_end,
    is_alphanumeric,
    is_host,
    is_letter,
    whole_word_at,
    word_at,
)
from topicgrove.kernels.compiled import kernel, part
from topicgrove.kernels.encoded import encoded_end, short_end
from topicgrove.kernels.mail import header_end, headers_end, mail_line_end
from topicgrove.kernels.markup import accented, command_end, math_end, raw_end, tag_end

N_KINDS = 9
URLS, EMAILS, HTML, LATEX, CONTRACTIONS, ENCODED, MAIL, HYPHENS, UNDERSCORES = range(N_KINDS)
"""Kinds of junk."""

_BLANK = np.uint8(ord(" "))
_URL, _DOT, _AT, _TAG, _BACKSLASH, _DOLLAR, _APOSTROPHE, _HYPHEN, _UNDERSCORE, _HIGH, _SPACE, _OTHER = range(1, 13)
_KIND = np.array([0, URLS, URLS, EMAILS, HTML, LATEX, LATEX, CONTRACTIONS, HYPHENS, UNDERSCORES, HYPHENS, 0, 0])
"""The kind that each role belongs to. Bytes inside words have no role, or begin a link."""

_SCHEMES = byte_words("http:// https:// ftp:// www.")
_DOMAINS = byte_words("com org edu gov mil info uk de fr ca au jp eu ch nl fi dk ru cn br kr pl cz")


def roles_of(kinds: Collection[int]) -> NDArray[np.uint8]:
    """Return the role of each byte: the junk of these kinds that it may begin."""
    roles = np.zeros(256, np.uint8)
    roles[:128] = [0 if chr(byte).isalnum() or byte == ord("_") else _OTHER for byte in range(128)]
    roles[: _BLANK + 1] = _SPACE
    markers = {"hHwWfF": _URL, ".": _DOT, "@": _AT, "<": _TAG, "\\": _BACKSLASH, "$": _DOLLAR, "'": _APOSTROPHE}
    for letters, role in (markers | {"-": _HYPHEN, "_": _UNDERSCORE}).items():
        if _KIND[role] in kinds:
            roles[[ord(letter) for letter in letters]] = role
    if HYPHENS in kinds:
        roles[[0xC2, 0xE2, 0xEF]] = _HIGH
    elif CONTRACTIONS in kinds:
        roles[0xE2] = _APOSTROPHE
    return roles


@kernel
def clean_documents(
    data: NDArray[np.uint8],
    doc_ends: NDArray[np.int64],
    roles: NDArray[np.uint8],
    is_wanted: NDArray[np.bool_],
    out: NDArray[np.uint8],
    out_ends: NDArray[np.int64],
    removed: NDArray[np.int64],
) -> None:
    """Copy documents to ``out``, as long as ``data``, leaving out junk; count what was left out in ``removed``.

    ``roles`` comes from `roles_of` for the kinds to remove.
    """
    begin = written = int(np.int64(0))  # a literal 0 would make Numba compile all parts once more
    for document in range(len(doc_ends)):
        end = doc_ends[document]
        written = clean_document(data, begin, end, roles, is_wanted, out, written, removed)
        out_ends[document] = written
        begin = end


@part
def clean_document(
    data: NDArray[np.uint8],
    begin: int,
    end: int,
    roles: NDArray[np.uint8],
    is_wanted: NDArray[np.bool_],
    out: NDArray[np.uint8],
    first: int,
    removed: NDArray[np.int64],
) -> int:
    """Copy a document to ``out[first:]`` without junk; return where the copy ends."""
    position, written = begin, first
    headers = in_short = begin
    in_path = was_encoded = end < begin  # false; a literal would make Numba compile parts once more
    search = True  # for the ends of comments and scripts, until one is missing
    while position < end:
        byte = data[position]
        before = data[position - 1] if position > begin else np.uint8(10)
        stop = position
        kind = MAIL
        if before == 10 and is_wanted[MAIL]:
            stop, headers = line_end(data, position, end, headers)
        role = roles[byte] if roles[byte] < _SPACE else 0
        if byte <= _BLANK:
            in_path = False
        elif before <= _BLANK and stop == position and is_wanted[ENCODED]:
            stop, in_short = run_end(data, position, end, was_encoded, in_short)
            was_encoded = stop > position
            kind = ENCODED
        if stop > position:
            role = 0
        elif role == _BACKSLASH:
            in_path = in_path or is_drive(out, first, written)
            after, n_letters = copy_escaped(data, position, end, in_path, out, written)
            if after > position:
                position, written = after, written + n_letters
                continue
        elif role in (_HYPHEN, _HIGH):
            stop = joint_end(data, position, end, out[written - 1] if written > first else _BLANK)
            if stop > position:
                removed[HYPHENS] += 1
                position = stop
                continue
            role = _APOSTROPHE if byte == 0xE2 and is_wanted[CONTRACTIONS] else 0
        if role != 0 and not (role == _BACKSLASH and in_path):
            kind = _KIND[role]
            stop = junk_end(data, position, end, role, out, first, written)
            stop, search = content_end(data, position, end, stop, search)
            if stop > position:
                written = rewound(out, first, written, role, data[stop - 1])
        if stop > position:
            removed[kind] += 1
            byte = _BLANK
        out[written] = byte
        written += 1
        position = max(stop, position + 1)
        if roles[byte] <= _URL:
            n_copied = copy_word(data, position, end, roles, out, written)
            in_path = in_path and not (n_copied > 0 and data[position + n_copied - 1] == _BLANK)
            position, written = position + n_copied, written + n_copied
    return written


@part
def line_end(data: NDArray[np.uint8], position: int, end: int, headers: int) -> tuple[int, int]:
    """Return the end of the junk line of mail that begins here, and of the headers here or before; else the position.

    ``headers`` is where the headers end that were found last.
    """
    if position >= headers:
        headers = headers_end(data, position, end)
    if position < headers:
        return header_end(data, position, end), headers
    return mail_line_end(data, position, end), headers


@part
def run_end(data: NDArray[np.uint8], position: int, end: int, was_encoded: bool, in_short: int) -> tuple[int, int]:
    """Return the end of the encoded data that begins here, else the position; and the `short_end` to go on with.

    What begins before ``in_short``, the last `short_end`, is too short to be encoded, unless encoded data goes on there
    or a line of uuencode begins.
    """
    if position < in_short and not was_encoded and data[position] != ord("M"):
        return position, in_short
    return encoded_end(data, position, end, was_encoded), short_end(data, position, end)


@part
def content_end(data: NDArray[np.uint8], position: int, end: int, stop: int, search: bool) -> tuple[int, bool]:
    """Return the end of junk from that of `junk_end`: after its content if it is negative; and whether to look on.

    Without ``search`` no content is looked for: an end was missing once.
    """
    if stop < 0 and search:
        stop = raw_end(data, position, end, -stop)
        search = stop > 0
    return abs(stop), search


@part
def copy_escaped(
    data: NDArray[np.uint8], position: int, end: int, in_path: bool, out: NDArray[np.uint8], written: int
) -> tuple[int, int]:
    """Copy the letter that a backslash gives an accent, or drop the backslash before an apostrophe.

    Returns where to go on, which is the position itself if neither is there, and the number of letters copied.
    """
    letter = -1 if in_path else accented(data, position, end)
    if letter >= 0:
        out[written] = data[letter]
        has_brace = letter + 1 < end and data[letter + 1] == ord("}")
        return (letter + 2 if has_brace else letter + 1), 1
    is_apostrophe = position + 1 < end and data[position + 1] == ord("'")
    return (position + 1 if is_apostrophe else position), 0


@part
def copy_word(
    data: NDArray[np.uint8], position: int, end: int, roles: NDArray[np.uint8], out: NDArray[np.uint8], written: int
) -> int:
    """Copy the rest of a word and a blank after it; return how many bytes.

    Nearly all bytes belong to a word or are a blank.
    """
    at = position
    while at < end and roles[data[at]] <= _URL:
        out[written] = data[at]
        written += 1
        at += 1
    if at < end and data[at] == _BLANK:
        out[written] = _BLANK
        at += 1
    return at - position


@part
def junk_end(
    data: NDArray[np.uint8], position: int, end: int, role: int, out: NDArray[np.uint8], first: int, written: int
) -> int:
    """Return the end of the junk that begins at a byte of this role; the position if there is none.

    It is negative if a tag's content goes, too. ``out[first:written]`` is what has been kept of the document.
    """
    stop = position
    before = out[written - 1] if written > first else _BLANK
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
    elif role == _UNDERSCORE:
        is_symbol = is_single(out, first, written)
        stop = index_end(data, position, end) if is_symbol else position
        if stop == position:
            stop = border_end(data, position, end, before)
    elif is_letter(before):
        stop = contraction_end(data, position, end)
        if stop > position and data[stop - 1] | 32 == ord("t") and before | 32 != ord("n"):
            stop = position
    return stop


@part
def rewound(out: NDArray[np.uint8], first: int, written: int, role: int, last: int) -> int:
    """Return where to go on writing: before the host, user, symbol or negated verb that belongs to the junk.

    ``last`` is the last byte of the junk.
    """
    if role == _APOSTROPHE and last | 32 == ord("t"):
        while written > first and is_alphanumeric(out[written - 1]):
            written -= 1
    elif role == _UNDERSCORE and last != ord("_"):
        written -= 1
    elif role in (_DOT, _AT):
        while written > first and is_host(out[written - 1]):
            written -= 1
    return written


@part
def ends_link(byte: int) -> bool:
    """Return whether a link ends before a byte."""
    return byte <= 32 or byte == ord("<") or byte == ord(">") or byte == ord('"')


@part
def url_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the end of the link that begins here, or the position itself."""
    if position + 1 >= end or data[position + 1] | 32 not in (ord("t"), ord("w")):
        return position  # the second letter of all schemes
    at = word_at(data, position, end, _SCHEMES)
    if at < 0 or at == end or ends_link(data[at]):
        return position
    while at < end and not ends_link(data[at]):
        at += 1
    return at


@part
def host_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the end of a link without a scheme whose last dot is here, before a known domain; else the position."""
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
    """Return the end of the e-mail address whose @ is here, or the position itself."""
    at = position + 1
    while at < end and is_host(data[at]):
        at += 1
    return at if at > position + 1 else position


@part
def border_end(data: NDArray[np.uint8], position: int, end: int, before: int) -> int:
    """Return the end of underscores that begin here, if a word begins or ends with them; else the position."""
    at = position
    while at < end and data[at] == ord("_"):
        at += 1
    is_inside = is_alphanumeric(before) and at < end and is_alphanumeric(data[at])
    return position if is_inside else at


@part
def is_single(out: NDArray[np.uint8], first: int, written: int) -> bool:
    """Return whether the kept text ends with a word of one ASCII letter."""
    if written == first or not ord("a") <= out[written - 1] | 32 <= ord("z"):
        return False
    return written == first + 1 or not is_alphanumeric(out[written - 2])


@part
def is_drive(out: NDArray[np.uint8], first: int, written: int) -> bool:
    """Return whether the kept text ends with a letter and a colon, after which a backslash begins a path."""
    return written > first + 1 and out[written - 1] == ord(":") and is_single(out, first, written - 1)


@part
def index_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the end of the index that begins at an underscore; the position if there is none."""
    at = position + 1
    while at < end and is_alphanumeric(data[at]):
        at += 1
    return at if at > position + 1 else position


@part
def joint_end(data: NDArray[np.uint8], position: int, end: int, before: int) -> int:
    """Return the end of what splits a word: a soft hyphen, a zero-width character, a hyphen at the end of a line.

    Returns the position if nothing does. The second line may be quoted, and goes on with a small letter.
    """
    at = position + 1
    if data[position] == ord("-"):
        if at < end and data[at] == 13:
            at += 1
        if at >= end or data[at] != 10 or not is_letter(before):
            return position
        at += 1
        while at < end and (data[at] == 32 or data[at] == 9 or data[at] == ord(">") or data[at] == ord("|")):
            at += 1
        return at if at < end and ord("a") <= data[at] <= ord("z") else position
    if data[position] == 0xC2:
        return position + 2 if at < end and data[at] == 0xAD else position
    if position + 3 > end:
        return position
    second, third = data[at], data[at + 1]
    if data[position] == 0xE2:
        is_joint = (second == 0x80 and (third == 0x8C or third == 0x8D)) or (second == 0x81 and third == 0xA0)
    else:
        is_joint = second == 0xBB and third == 0xBF
    return position + 3 if is_joint else position
