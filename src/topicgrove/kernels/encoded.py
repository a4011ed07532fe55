"""Find encoded files and keys in text, which contain no words: uuencode, base64, hashes and the like."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import part

SHORTEST = 32
"""Fewest bytes without white space that may be an encoded file or a key: the length of an MD5 in hexadecimal."""

SHORTEST_REST = 4
"""The same for a line that follows an encoded one."""

_UU_LENGTH = 61
_SHORTEST_WORD = 4


@part
def encoded_end(data: NDArray[np.uint8], position: int, end: int, is_rest: bool) -> int:
    """Return the end of the encoded run of bytes, or line of uuencode, that begins here; or the position itself.

    ``is_rest`` says that the text before is encoded as well.
    """
    shortest = SHORTEST_REST if is_rest else SHORTEST
    if data[position] == ord("M") and is_uuencoded(data, position, end):
        return position + _UU_LENGTH
    if position + shortest > end:
        return position
    at = position + shortest - 1
    while at > position:
        if data[at] <= 32:
            return position
        at -= 1
    stop = position + shortest
    while stop < end and data[stop] > 32:
        stop += 1
    if data[position] == ord("<") and data[stop - 1] in (ord(">"), ord(","), ord(":"), ord(".")):
        return position  # the id of a message
    return stop if is_scrambled(data, position, stop, shortest) else position


@part
def short_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the last white space among the next bytes: runs that begin before it are too short to be encoded."""
    at = min(position + SHORTEST, end) - 1
    while at > position and data[at] > 32:
        at -= 1
    return at


@part
def is_uuencoded(data: NDArray[np.uint8], position: int, end: int) -> bool:
    """Return whether a whole line of uuencode begins here: an M and 60 bytes from the blank to the back-tick."""
    stop = position + _UU_LENGTH
    if stop > end or (stop < end and data[stop] != 10 and data[stop] != 13):
        return False
    for at in range(position, stop):
        if not 32 <= data[at] <= 96:
            return False
    return is_scrambled(data, position, stop, np.int64(SHORTEST))


@part
def is_scrambled(data: NDArray[np.uint8], position: int, stop: int, shortest: int) -> bool:
    """Return whether less than two fifths of a run of ASCII are in words: four letters of one case, or more.

    A capital may begin a word of small letters, and no letter occurs three times in a row. Repeated punctuation, such
    as a row of dots, is ignored. A run with both small letters and characters of markup is not taken for code.
    """
    n_counted = 0
    n_in_words = 0
    length = 0
    case = 0
    has_markup = False
    has_small = False
    for at in range(position, stop + 1):
        byte = data[at] if at < stop else np.uint8(32)
        if byte >= 128:
            return False
        has_markup = has_markup or byte in (ord("<"), ord(">"), ord("\\"), ord("{"), ord("}"), ord("^"))
        letter_case = 0
        if ord("a") <= byte <= ord("z"):
            letter_case = 1
            has_small = True
        elif ord("A") <= byte <= ord("Z"):
            letter_case = 2
        if at > position + 1 and byte == data[at - 1] == data[at - 2]:
            length = 0
        elif letter_case != 0 and (letter_case == case or (case == 2 and letter_case == 1 and length == 1)):
            length += 1
        else:
            if length >= _SHORTEST_WORD:
                n_in_words += length
            length = 1 if letter_case != 0 else 0
        case = letter_case
        if at < stop and (at == position or letter_case != 0 or byte != data[at - 1]):
            n_counted += 1
    if has_markup and has_small:
        return False
    return 4 * n_counted >= 3 * shortest and 5 * n_in_words < 2 * n_counted
