"""Tests on bytes of UTF-8 text: which are letters, and which ASCII words begin at a position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import part


def byte_words(words: str) -> NDArray[np.uint8]:
    """Return words separated by blanks as one array, each followed by a NUL."""
    return np.frombuffer(f"{words} ".replace(" ", "\0").encode(), np.uint8)


_SUFFIXES = byte_words("s d m ll ve re t")


@part
def is_letter(byte: int) -> bool:
    """Return whether a byte is an ASCII letter or part of a non-ASCII character."""
    return ord("a") <= (byte | 32) <= ord("z") or byte >= 128


@part
def is_alphanumeric(byte: int) -> bool:
    """Return whether a byte is a letter, a digit or an underscore."""
    return is_letter(byte) or ord("0") <= byte <= ord("9") or byte == ord("_")


@part
def is_host(byte: int) -> bool:
    """Return whether a byte may be part of the name of a host or a user."""
    return is_alphanumeric(byte) or byte == ord("-") or byte == ord(".") or byte == ord("+") or byte == ord("%")


@part
def lower(byte: int) -> int:
    """Return an ASCII capital as a small letter, any other byte unchanged."""
    return byte + 32 if ord("A") <= byte <= ord("Z") else byte


@part
def word_at(data: NDArray[np.uint8], position: int, end: int, words: NDArray[np.uint8]) -> int:
    """Return the end of the first of ``words`` found at a position, ignoring case; -1 if there is none."""
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
def is_among(data: NDArray[np.uint8], position: int, stop: int, words: NDArray[np.uint8]) -> bool:
    """Return whether ``data[position:stop]`` is one of ``words``, ignoring case."""
    i = 0
    while i < len(words):
        at = position
        while words[i] != 0 and at < stop and lower(data[at]) == words[i]:
            at += 1
            i += 1
        if words[i] == 0 and at == stop:
            return True
        while words[i] != 0:
            i += 1
        i += 1
    return False


@part
def whole_word_at(data: NDArray[np.uint8], position: int, end: int, words: NDArray[np.uint8]) -> int:
    """Return the end of the run of letters at a position, if that is one of ``words``; else -1."""
    stop = position
    while stop < end and is_letter(data[stop]):
        stop += 1
    return stop if is_among(data, position, stop, words) else -1


@part
def find(data: NDArray[np.uint8], position: int, end: int, word: NDArray[np.uint8]) -> int:
    """Return where a word begins at or after a position; -1 if nowhere."""
    for at in range(position, end):
        if word_at(data, at, end, word) >= 0:
            return at
    return -1


@part
def line_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the end of the line at a position, before its line break."""
    at = position
    while at < end and data[at] != 10:
        at += 1
    return at


@part
def contraction_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the end of 's, 'd, 'm, 'll, 've, 're or 't that begins at this apostrophe, or the position itself."""
    at = position + 1
    if data[position] != ord("'"):
        if position + 2 >= end or data[position + 1] != 0x80 or data[position + 2] != 0x99:
            return position
        at = position + 3
    stop = whole_word_at(data, at, end, _SUFFIXES)
    return position if stop < 0 or (stop < end and is_alphanumeric(data[stop])) else stop
