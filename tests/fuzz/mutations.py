"""Seeded changes of arrays and facts, as somebody might make them who can write a valid checksum.

`mutate_array` and `mutate_fact` return a description for messages and the changed value; their argument stays as it is.
A mutation may happen to change nothing, such as a swap of two equal entries: see `same`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Random = np.random.Generator


class Mutation(NamedTuple):
    """What was done, and what came of it."""

    what: str
    value: Any


def mutate_array(rng: Random, array: Array) -> Mutation:
    """Change an array of numbers in one way: an entry, their order, the length, the type or the shape."""
    changes = _WHOLE if array.size == 0 or rng.random() < 0.3 else _ENTRIES
    name = list(changes)[rng.integers(len(changes))]
    with np.errstate(invalid="ignore", over="ignore"):
        return Mutation(name, np.array(changes[name](rng, array.copy()), order="C"))


def mutate_fact(rng: Random, value: Any) -> Mutation:
    """Replace, remove or repeat something inside a value as JSON has it, or the value itself.

    >>> mutate_fact(np.random.default_rng(3), {"n_words": 5, "labels": ["a"]})
    Mutation(what="replace ['n_words']", value={'n_words': 1099511627781, 'labels': ['a']})
    """
    root = [copy.deepcopy(value)]
    holder: Any = root
    key: Any = 0
    place = ""
    while isinstance(holder[key], dict | list) and holder[key] and rng.random() < 0.9:
        holder = holder[key]
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        key = keys[rng.integers(len(keys))]
        place += f"[{key!r}]"
    name = ["replace", "replace", "replace", "remove", "repeat"][rng.integers(5)] if holder is not root else "replace"
    if name == "remove":
        del holder[key]
    elif name == "repeat":
        again = copy.deepcopy(holder[key])
        holder.update({f"{key}2": again}) if isinstance(holder, dict) else holder.insert(key, again)
    else:
        holder[key] = _other_value(rng, holder[key])
    return Mutation(f"{name} {place}".strip(), root[0])


def same(a: Any, b: Any) -> bool:
    """Whether two arrays, or two facts, are the same to the bit and of the same types."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and repr(a) == repr(b)


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


WILD: list[Any] = [
    None, True, False, 0, 1, -1, 2**31, 2**53 + 1, 2**63, -(2**63), 2**64, 2**70, -(2**70), 10**400,
    0.5, -0.5, 1.5, 1e308, 5e-324, "", "inf", "nan", "0", "x", "word" * 500, "\0", "\x1b[31m", "é",
    "../../etc/passwd", [], {}, [None], [[]], {"": None}, {"x": {"x": {}}}, nested(50),
]  # fmt: skip
"""What hardly any fact may be. Numbers that JSON lacks, NaN and infinities, are left out."""


def _other_value(rng: Random, value: Any) -> Any:
    """A wild value or, as often, a near one of the same type."""
    if rng.random() < 0.5 or value is None:
        return copy.deepcopy(WILD[rng.integers(len(WILD))])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return [value + 1, value - 1, -value, 2 * value, value + 2**40][rng.integers(5)]
    if isinstance(value, float):
        return [-value, value * 2, value + 1e-9, value * 1e30, int(value)][rng.integers(5)]
    if isinstance(value, str):
        return [value + "x", value[:-1], value.upper(), value[::-1], value * 2][rng.integers(5)]
    if isinstance(value, list):
        return [value[::-1], value[:-1], value * 2, [value], dict(enumerate(map(repr, value)))][rng.integers(5)]
    return [list(value), [value], str(value)][rng.integers(3)]


def _place(rng: Random, array: Array) -> int:
    # The ends are where off-by-one mistakes are.
    return int(rng.choice([0, array.size - 1, *rng.integers(array.size, size=4)]))


def _put(choose: Callable[[Random, Array], Any]) -> Callable[[Random, Array], Array]:
    """Set one entry."""

    def change(rng: Random, array: Array) -> Array:
        value = np.asarray(choose(rng, array))
        array.flat[_place(rng, array)] = value.astype(array.dtype)
        return array

    return change


def _swap(rng: Random, array: Array) -> Array:
    a, b = _place(rng, array), _place(rng, array)
    array.flat[a], array.flat[b] = array.flat[b], array.flat[a]
    return array


def _duplicate(rng: Random, array: Array) -> Array:
    array.flat[_place(rng, array)] = array.flat[_place(rng, array)]
    return array


def _next_to(rng: Random, array: Array) -> Array:
    place = _place(rng, array)
    array.flat[place] = array.flat[place] + array.dtype.type(1) if rng.random() < 0.5 else array.flat[place] - 1
    return array


def _shuffle(rng: Random, array: Array) -> Array:
    return rng.permutation(array.reshape(-1)).reshape(array.shape)


def _random_entries(rng: Random, array: Array) -> Array:
    """Any share of the entries, from the range of those that are there."""
    chosen = rng.random(array.shape) < rng.random()
    return np.where(chosen, rng.choice(array.reshape(-1), array.shape), array)


def _out_of_range(rng: Random, array: Array) -> Any:
    if array.dtype.kind == "f":
        return rng.choice([np.inf, -np.inf, 1e30, -1e30, -0.0, 5e-324])
    limits = np.iinfo(array.dtype)
    far = [limits.min, limits.max, min(int(array.max()) + 10**6, limits.max), max(int(array.min()) - 10**6, limits.min)]
    return np.array(far[rng.integers(len(far))], array.dtype)


def _nan_or_negative(rng: Random, array: Array) -> Any:
    return np.nan if array.dtype.kind == "f" else np.array(-1).astype(array.dtype)


def _in_range(rng: Random, array: Array) -> Any:
    low, high = array.min(), array.max()
    if array.dtype.kind == "f":
        return rng.uniform(*np.clip(np.nan_to_num([low, high]), -1e30, 1e30))
    return rng.integers(low, high, endpoint=True, dtype=array.dtype)


def _as_type(rng: Random, array: Array) -> Array:
    types = [t for t in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32,
                         np.float64) if t != array.dtype]  # fmt: skip
    return array.astype(types[rng.integers(len(types))])


def _as_bits(rng: Random, array: Array) -> Array:
    """The same bytes as numbers of another kind."""
    kind = "i" if array.dtype.kind != "i" else "u"
    return array.view(f"{kind}{array.itemsize}")


_ENTRIES: dict[str, Callable[[Random, Array], Array]] = {
    "swap two entries": _swap,
    "duplicate an entry": _duplicate,
    "one more or less": _next_to,
    "shuffle": _shuffle,
    "random entries": _random_entries,
    "zeros": lambda rng, array: np.zeros_like(array),
    "entry in range": _put(_in_range),
    "entry out of range": _put(_out_of_range),
    "NaN or -1": _put(_nan_or_negative),
}

_WHOLE: dict[str, Callable[[Random, Array], Array]] = {
    "cut at the end": lambda rng, array: array[: max(0, len(array) - int(rng.integers(1, 3)))] if array.ndim else array,
    "cut at the start": lambda rng, array: array[1:] if array.ndim else array,
    "empty": lambda rng, array: array.reshape(-1)[:0],
    "longer": lambda rng, array: np.append(array, array[-1:] if array.size else np.zeros(3, array.dtype)),
    "as a column": lambda rng, array: array[..., None],
    "as a row": lambda rng, array: array[None],
    "as a scalar": lambda rng, array: array.reshape(-1)[0] if array.size else np.zeros((), array.dtype),
    "of another type": _as_type,
    "bytes of another type": _as_bits,
}
