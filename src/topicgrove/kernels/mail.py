"""Find headers of mail and news, boundaries of parts, and lines that name the author of a quotation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.characters import byte_words, is_among, line_end, word_at
from topicgrove.kernels.compiled import part

_LONGEST_NAME = 30
_LONGEST_CREDIT = 250
_SHORTEST_BOUNDARY = 12

# Names of headers that are no other words, and names that count as headers only next to another one.
_SURE = byte_words(
    "message-id mime-version content-type content-transfer-encoding content-disposition content-id content-length "
    "content-language in-reply-to reply-to return-path return-receipt-to delivered-to nntp-posting-host "
    "nntp-posting-date nntp-posting-user followup-to list-id list-post list-help list-archive list-subscribe "
    "list-unsubscribe list-unsubscribe-post dkim-signature domainkey-signature authentication-results received-spf "
    "arc-seal arc-message-signature arc-authentication-results apparently-to errors-to mail-followup-to user-agent "
    "archive-name last-modified posting-frequency"
)
_LIKELY = byte_words(
    "from to cc bcc date sent sender subject organization organisation lines path newsgroups distribution references "
    "received xref keywords summary expires approved originator priority importance precedence status"
)
_WITH_WORDS = byte_words("subject keywords summary")
_MAIL_BREAKS = byte_words("begin end original forwarded")
_SAYS = byte_words("writes wrote says said")
_IN_ARTICLE = byte_words("article message previous")


@part
def name_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the end, at a colon, of a header's name that begins here; the position if there is none."""
    at = position
    limit = min(end, position + _LONGEST_NAME)
    while at < limit and (ord("a") <= (data[at] | 32) <= ord("z") or data[at] == ord("-")):
        at += 1
    return at if at < limit and data[at] == ord(":") else position


@part
def header_kind(data: NDArray[np.uint8], position: int, stop: int) -> int:
    """Return 2 for a name that only headers have, 1 for one that may be another word, 0 for other words."""
    if stop == position:
        return 0
    is_private = stop > position + 2 and data[position] | 32 == ord("x") and data[position + 1] == ord("-")
    if is_private or is_among(data, position, stop, _SURE):
        return 2
    return 1 if is_among(data, position, stop, _LIKELY) else 0


@part
def headers_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the end of the header lines that begin here; the position if there are none, or a single unsure one."""
    sureness = 0
    at = position
    while at < end:
        is_more = at > position and (data[at] == 32 or data[at] == 9)
        if not is_more:
            kind = header_kind(data, at, name_end(data, at, end))
            if kind == 0:
                break
            sureness += kind
        stop = line_end(data, at, end)
        if is_more and is_blank(data, at, stop):
            break
        at = min(stop + 1, end)
    return at if sureness >= 2 else position


@part
def is_blank(data: NDArray[np.uint8], position: int, stop: int) -> bool:
    """Return whether a stretch is all white space."""
    at = position
    while at < stop and data[at] <= 32:
        at += 1
    return at == stop


@part
def header_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the end of a header line, or of its name alone if the author's words follow."""
    stop = name_end(data, position, end)
    if stop > position and is_among(data, position, stop, _WITH_WORDS):
        return stop + 1
    return line_end(data, position, end)


@part
def mail_line_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the end of a line here that is a boundary or names the author of a quotation; else the position."""
    at = position
    while at < end and (data[at] == 32 or data[at] == ord(">") or data[at] == ord("|") or data[at] == ord(":")):
        at += 1
    if at >= end or data[at] <= 32:
        return position
    if data[at] == ord("-"):
        return boundary_end(data, at, end, position)
    return credit_end(data, at, end, position)


@part
def boundary_end(data: NDArray[np.uint8], first: int, end: int, position: int) -> int:
    """Return the end of a line such as ``--=_NextPart_01`` or ``-----Original Message-----``; else the position."""
    stop = line_end(data, first, end)
    if stop - first < _SHORTEST_BOUNDARY or data[first + 1] != ord("-"):
        return position
    at = first
    while at < stop and (data[at] == ord("-") or data[at] == 32):
        at += 1
    if at > first + 3:
        after = word_at(data, at, stop, _MAIL_BREAKS)
        if after >= 0 and after < stop and (data[after] == 32 or data[after] == ord("-")):
            return stop if data[stop - 1] == ord("-") or data[stop - 1] == 13 else position
    has_digit = False
    for i in range(first, stop):
        if data[i] <= 32 and not (i == stop - 1 and data[i] == 13):
            return position
        has_digit = has_digit or ord("0") <= data[i] <= ord("9")
    return stop if has_digit and at < stop else position


@part
def credit_end(data: NDArray[np.uint8], first: int, end: int, position: int) -> int:
    """Return the end of a credit such as "In article <1@host> me@host (Me) writes:"; or the position itself.

    "On Monday, Me <me@host> wrote:" is another. A credit may span two lines.
    """
    second = data[first + 1] | 32 if first + 1 < end else 0
    is_in = data[first] | 32 == ord("i") and second == ord("n") and first + 3 < end and data[first + 2] == 32
    is_in = is_in and (
        data[first + 3] == ord("<")
        or word_at(data, first + 3, end, _IN_ARTICLE) >= 0
        or (data[first + 3] == ord("a") and data[first + 4 if first + 4 < end else first] == 32)
    )
    is_on = data[first] == ord("O") and second == ord("n") and first + 3 < end and data[first + 2] == 32
    stop = line_end(data, first, end)
    if stop - first > _LONGEST_CREDIT:
        return position
    if ends_credit(data, first, stop):
        return stop if is_in or is_on or has_byte(data, first, stop, ord("@")) else position
    if not (is_in or is_on) or stop >= end:
        return position
    has_address = has_byte(data, first, stop, ord("@"))
    next_stop = line_end(data, stop + 1, min(end, first + _LONGEST_CREDIT))
    if ends_credit(data, stop + 1, next_stop) and (is_in or has_byte(data, first, next_stop, ord("@"))):
        return next_stop
    return stop if is_in and has_address and has_byte(data, first, stop, ord("<")) else position


@part
def has_byte(data: NDArray[np.uint8], position: int, stop: int, byte: int) -> bool:
    """Return whether a byte occurs in a stretch."""
    at = position
    while at < stop and data[at] != byte:
        at += 1
    return at < stop


@part
def ends_credit(data: NDArray[np.uint8], first: int, stop: int) -> bool:
    """Return whether a line ends with "writes:", "wrote..." or the like."""
    at = stop
    n_dots = 0
    while at > first and (data[at - 1] <= 32 or data[at - 1] == ord(".") or data[at - 1] == ord(">")):
        n_dots += data[at - 1] == ord(".")
        at -= 1
    if at > first and (data[at - 1] == ord(":") or data[at - 1] == ord(",")):
        at -= 1
    elif n_dots < 2:
        return False
    begin = at
    while begin > first and ord("a") <= (data[begin - 1] | 32) <= ord("z"):
        begin -= 1
    return is_among(data, begin, at, _SAYS)
