"""Find the ends of HTML tags, and of LaTeX commands and formulas."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.characters import (
    byte_words,
    contraction_end,
    find,
    is_alphanumeric,
    is_among,
    whole_word_at,
    word_at,
)
from topicgrove.kernels.compiled import part

LONGEST_MATH = 400
"""Most bytes between two dollar signs that are taken for a formula."""

LONGEST_CUT = 500
"""Most bytes of a tag that is cut off by the end of the text."""

LONGEST_DISPLAY = 4000
"""Most bytes of a displayed formula."""

_RAW_ELEMENTS = byte_words("script style")
_COMMENT, _COMMENT_END = byte_words("<!--"), byte_words("-->")
_SCRIPT_END, _STYLE_END = byte_words("</script"), byte_words("</style")
_BEGIN, _ENDS = byte_words("begin"), byte_words("\\end{ \\begin{")
_DISPLAYS = byte_words(
    "equation align alignat aligned flalign eqnarray gather multline displaymath math array cases matrix pmatrix "
    "tikzpicture pspicture picture"
)
_WITH_ARGUMENT = byte_words(
    "begin end label ref eqref pageref autoref cref vref nameref cite citep citet citealt citeauthor citeyear nocite "
    "bibitem bibliography bibliographystyle url href usepackage requirepackage documentclass documentstyle "
    "includegraphics input include hspace vspace setlength addtolength setcounter addtocounter pagestyle thispagestyle "
    "pagenumbering color textcolor newcommand renewcommand providecommand newenvironment newtheorem rule hyphenation "
    "addcontentsline vskip hskip raisebox index glossary"
)


@part
def tag_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the end of the tag that begins here, negative if its content goes, too; or the position itself."""
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
    if at == end and is_cut(data, position, end):
        return end
    if at == end or data[at] == ord("<") or not (is_tag or is_bare):
        return position
    if whole_word_at(data, position + 1, end, _RAW_ELEMENTS) >= 0:
        return -(at + 1)
    return at + 1


@part
def is_cut(data: NDArray[np.uint8], position: int, end: int) -> bool:
    """Return whether the text ends inside the tag at a position: soon, and after a quoted attribute."""
    if end - position > LONGEST_CUT:
        return False
    for at in range(position, end - 1):
        if data[at] == ord("=") and (data[at + 1] == ord('"') or data[at + 1] == ord("'")):
            return True
    return False


@part
def raw_end(data: NDArray[np.uint8], position: int, end: int, after: int) -> int:
    """Return the end of the comment, script or style at a position; ``-after`` if it has none."""
    if data[position + 1] == ord("!"):
        at = find(data, after, end, _COMMENT_END)
        return at + 3 if at >= 0 else -after
    is_script = data[position + 2] | 32 == ord("c")
    at = find(data, after, end, _SCRIPT_END) if is_script else find(data, after, end, _STYLE_END)
    return at if at >= 0 else -after


@part
def accented(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the position of the letter under the LaTeX accent at a backslash; -1 if there is no accent."""
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
    """Return the end of the LaTeX command, or the displayed formula, that begins here; or the position itself."""
    at = position + 1
    if at + 1 < end and data[at] in (ord("n"), ord("r"), ord("t")) and ord("A") <= data[at + 1] <= ord("Z"):
        return at + 1  # an escaped line break or tab
    if at < end and (data[at] == ord("[") or data[at] == ord("(")):
        return bracketed_end(data, position, end)
    while at < end and ord("a") <= (data[at] | 32) <= ord("z"):
        at += 1
    if at == position + 1:
        return position
    if is_among(data, position + 1, at, _WITH_ARGUMENT):
        begins = is_among(data, position + 1, at, _BEGIN)
        if at < end and data[at] == ord("*"):
            at += 1
        at = argument_end(data, at, end, ord("["), ord("]"))
        name = at + 1
        at = argument_end(data, at, end, ord("{"), ord("}"))
        if begins and at > name:
            at = environment_end(data, name, at, end)
    return at


@part
def bracketed_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    r"""Return the end of the formula between ``\[`` and ``\]``, or ``\(`` and ``\)``; or the position itself."""
    closing = ord("]") if data[position + 1] == ord("[") else ord(")")
    limit = min(end - 1, position + LONGEST_MATH)
    for at in range(position + 2, limit):
        if data[at] == 10 and data[at - 1] == 10:
            return position
        if data[at] == ord("\\") and data[at + 1] == closing:
            return at + 2
    return position


@part
def environment_end(data: NDArray[np.uint8], name: int, position: int, end: int) -> int:
    """Return the end of the environment whose name ends at a position, if it is a formula; else of its arguments."""
    stop = name
    while stop < position and ord("a") <= (data[stop] | 32) <= ord("z"):
        stop += 1
    if is_among(data, name, stop, _DISPLAYS):
        at = position
        while at < min(end, position + LONGEST_DISPLAY):
            after = word_at(data, at, end, _ENDS) if data[at] == ord("\\") else -1
            if after >= 0 and is_same(data, name, position - name, after, end):
                if data[at + 1] == ord("b"):
                    break
                return after + position - name
            at += 1
    at = argument_end(data, position, end, ord("["), ord("]"))
    after = argument_end(data, at, end, ord("{"), ord("}"))
    for i in range(at, after):
        if data[i] == ord(" "):
            return at
    return after


@part
def is_same(data: NDArray[np.uint8], one: int, length: int, other: int, end: int) -> bool:
    """Return whether two places hold the same bytes."""
    i = 0
    while i < length and other + i < end and data[one + i] == data[other + i]:
        i += 1
    return i == length


@part
def argument_end(data: NDArray[np.uint8], position: int, end: int, opening: int, closing: int) -> int:
    """Return the end of the argument in brackets that begins here, or the position itself."""
    if position >= end or data[position] != opening:
        return position
    at = position + 1
    while at < end and at < position + LONGEST_MATH and data[at] != closing and data[at] != opening:
        at += 1
    return at + 1 if at < end and data[at] == closing else position


@part
def math_end(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return the end of the formula that begins at a dollar sign, or the position itself.

    As in Pandoc, no white space follows the first dollar sign or precedes the last, and no digit follows the last.
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
