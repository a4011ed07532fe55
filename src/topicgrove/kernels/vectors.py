"""Vectors of a few lanes that stay in registers, which compilers make from loops only by luck.

In plain Python they are NumPy arrays; compiled, they are LLVM vectors with the same arithmetic. Rows of a matrix are
read in lines of ``LINE`` columns; weights of a token's levels, up to eight, are read at once. The number of lanes of
such a vector is the length of a tuple, which is known when a kernel is compiled.
"""

# mypy: allow-untyped-calls
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numba import types
from numba.extending import lower_builtin, models, register_model
from numpy.typing import NDArray

from topicgrove.kernels.numba_private import (
    AbstractTemplate,
    ConcreteTemplate,
    cgutils,
    infer_global,
    ir,
    signature,
)
from topicgrove.kernels.structures import LINE

WIDTHS = 4, 8
"""The most levels that fit into one vector."""

Lanes = tuple[int, ...]

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]
Mask = NDArray[np.bool_]

_EXPONENT_SHIFT, _MANTISSA, _ONE_BITS = 23, 0x007FFFFF, 0x3F800000


def lanes_for(n_levels: int) -> Lanes:
    """Return the lanes of the narrowest vector that holds ``n_levels``; none if no vector does.

    Examples
    --------
    >>> lanes_for(3), lanes_for(5), lanes_for(9)
    ((0, 1, 2, 3), (0, 1, 2, 3, 4, 5, 6, 7), ())
    """
    return tuple(range(next((width for width in WIDTHS if width >= n_levels), 0)))


def load_lanes(matrix: Floats, row: int, lanes: Lanes) -> Floats:
    """Load the first columns of a row."""
    return matrix[row, : len(lanes)].copy()


def store_lanes(matrix: Floats, row: int, vector: Floats) -> None:
    """Store a vector in the first columns of a row."""
    matrix[row, : len(vector)] = vector


def lane_is(lane: int, lanes: Lanes) -> Mask:
    """Return a mask that is true in one lane; in none if the lane does not exist."""
    return np.arange(len(lanes)) == lane


def all_if_equal(one: int, other: int, lanes: Lanes) -> Mask:
    """Return a mask that is true in all lanes if two numbers are equal, else in none."""
    return np.full(len(lanes), one == other)


def ones_if(mask: Mask) -> Floats:
    """Return 1 where the mask is true, else 0."""
    return mask.astype(np.float32)


def keep_if(mask: Mask, vector: Floats) -> Floats:
    """Set a vector to 0 where the mask is false."""
    return np.where(mask, vector, np.float32(0.0))


def choose(mask: Mask, vector: Floats, other: Floats) -> Floats:
    """Return ``vector`` where the mask is true, else ``other``."""
    return np.where(mask, vector, other)


def pick_lane(weights: Floats, unit: np.float32, last: int) -> Mask:
    """Pick a lane by weight, with a number in [0, 1), no later than ``last``; return a mask."""
    running, step = weights, 1
    while step < len(weights):
        running = running + np.concatenate([np.zeros(step, np.float32), running[:-step]])
        step *= 2
    with np.errstate(invalid="ignore"):
        beyond = (unit * running[-1] >= running) & (np.arange(len(weights)) < last)
    return np.append(True, beyond[:-1]) & ~beyond


def lane_of(mask: Mask) -> int:
    """Return the only lane that is true."""
    return int(np.argmax(mask))


def load_line(matrix: NDArray[Any], row: int, column: int) -> Floats:
    """Load a line of a row of any type as float32."""
    return matrix[row, column : column + LINE].astype(np.float32)


def load_floats(vector: Floats, first: int) -> Floats:
    """Load a line of a vector."""
    return vector[first : first + LINE].copy()


def store_floats(vector: Floats, first: int, line: Floats) -> None:
    """Store a line of a vector."""
    vector[first : first + LINE] = line


def add_integers(vector: Integers, first: int, line: Integers) -> None:
    """Add to a line of a vector of integers."""
    vector[first : first + LINE] += line


def mantissas(line: Floats) -> Floats:
    """Return m of each positive x = m 2^e, 1 <= m < 2."""
    return ((line.view(np.int32) & np.int32(_MANTISSA)) | np.int32(_ONE_BITS)).view(np.float32)


def biased_exponents(line: Floats) -> Integers:
    """Return e + 127 of each positive x = m 2^e, 1 <= m < 2."""
    return line.view(np.int32) >> np.int32(_EXPONENT_SHIFT)


class _Vector(types.Type):
    """Numba's type of such a vector."""

    def __init__(self, element: Any, size: int) -> None:
        self.element, self.size = element, size
        super().__init__(name=f"{size} x {element}")


_INT = ir.IntType(32)
_ELEMENTS = {types.float32: ir.FloatType(), types.int32: _INT}


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.VectorType(_ELEMENTS[kind.element], kind.size))


_FLOATS, _INTEGERS = _Vector(types.float32, LINE), _Vector(types.int32, LINE)


def _lanes(count: int) -> Any:
    return _Vector(types.float32, count)


def _mask(count: int) -> Any:
    """Return Numba's type of a mask. Lanes have all bits set or none, so masks apply to numbers without conversion."""
    return _Vector(types.int32, count)


def _same(function: Callable[[int], Any]) -> Callable[[Any], Any]:
    """Return a result type that has as many lanes as the last argument, a vector or a tuple."""
    return lambda given: function(given[-1].size if isinstance(given[-1], _Vector) else given[-1].count)


def _ints(size: int, values: Any) -> Any:
    return ir.Constant(ir.VectorType(_INT, size), list(values))


def _floats(size: int, value: float) -> Any:
    return ir.Constant(ir.VectorType(ir.FloatType(), size), [value] * size)


def _spread(builder: Any, value: Any, size: int) -> Any:
    nothing = ir.Constant(ir.VectorType(value.type, size), ir.Undefined)
    first = builder.insert_element(nothing, value, _INT(0))
    return builder.shuffle_vector(first, nothing, _ints(size, [0] * size))


def _pointer(context: Any, builder: Any, kind: Any, array: Any, indices: list[Any], size: int) -> tuple[Any, int]:
    """Return where a vector lies in an array, and its least alignment."""
    if kind.layout != "C":
        raise TypeError(f"vectors are read from arrays in C order, not from {kind}")
    structure = context.make_array(kind)(context, builder, array)
    element = cgutils.get_item_pointer(context, builder, kind, structure, indices, wraparound=False)
    vector = ir.VectorType(element.type.pointee, size)
    return builder.bitcast(element, vector.as_pointer()), kind.dtype.bitwidth // 8


def _compiled(function: Callable[..., Any], result: Any, *arguments: Any) -> Callable[[Any], Any]:
    """Register ``generate(context, builder, kinds, values)`` as the compiled twin of a function.

    Arguments are types or classes of types; the result is a type, or a function of the arguments' types.
    """

    class Template(AbstractTemplate):
        key = function

        def generic(self, given: Any, _: Any) -> Any:
            kinds = [
                kind if isinstance(wanted, type) else wanted for kind, wanted in zip(given, arguments, strict=True)
            ]
            return signature(result if isinstance(result, types.Type) else result(kinds), *kinds)

    def register(generate: Any) -> Any:
        def lower(context: Any, builder: Any, call: Any, values: Any) -> Any:
            value = generate(context, builder, call.args, values)
            return context.get_dummy_value() if value is None else value

        infer_global(function)(Template)
        lower_builtin(function, *arguments)(lower)
        return generate

    return register


def _define_arithmetic(operation: Callable[[Any, Any], Any], instruction: str, vector: Any) -> None:
    """Define an operation lane by lane; a single number on the right is spread over all lanes."""

    class Template(ConcreteTemplate):
        key = operation
        cases: ClassVar = [signature(vector, vector, vector), signature(vector, vector, vector.element)]

    def lower(context: Any, builder: Any, call: Any, values: Any) -> Any:
        left, right = values
        if call.args[1] == vector.element:
            right = _spread(builder, right, vector.size)
        return getattr(builder, instruction)(left, right)

    infer_global(operation)(Template)
    for right in (vector, vector.element):
        lower_builtin(operation, vector, right)(lower)


_WIDTHS = [_lanes(width) for width in WIDTHS]
for _vector, _add, _subtract in (*((w, "fadd", "fsub") for w in (*_WIDTHS, _FLOATS)), (_INTEGERS, "add", "sub")):
    _define_arithmetic(operator.add, _add, _vector)
    _define_arithmetic(operator.sub, _subtract, _vector)
for _vector in (*_WIDTHS, _FLOATS):
    _define_arithmetic(operator.mul, "fmul", _vector)
for _vector in _WIDTHS:
    _define_arithmetic(operator.truediv, "fdiv", _vector)


@_compiled(load_lanes, _same(_lanes), types.Array, types.intp, types.UniTuple)
def _load_lanes(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    pointer, align = _pointer(context, builder, kinds[0], values[0], [values[1], values[1].type(0)], kinds[2].count)
    return builder.load(pointer, align=align)


@_compiled(store_lanes, types.void, types.Array, types.intp, _Vector)
def _store_lanes(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    pointer, align = _pointer(context, builder, kinds[0], values[0], [values[1], values[1].type(0)], kinds[2].size)
    builder.store(values[2], pointer, align=align)


@_compiled(lane_is, _same(_mask), types.intp, types.UniTuple)
def _lane_is(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    iota = _ints(kinds[1].count, range(kinds[1].count))
    lane = _spread(builder, builder.trunc(values[0], _INT), kinds[1].count)
    return builder.sext(builder.icmp_signed("==", lane, iota), iota.type)


@_compiled(all_if_equal, _same(_mask), types.intp, types.intp, types.UniTuple)
def _all_if_equal(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    return _spread(builder, builder.sext(builder.icmp_signed("==", *values[:2]), _INT), kinds[2].count)


@_compiled(ones_if, _same(_lanes), _Vector)
def _ones_if(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    ones = _floats(kinds[0].size, 1.0)
    return builder.bitcast(builder.and_(values[0], builder.bitcast(ones, values[0].type)), ones.type)


@_compiled(keep_if, _same(_lanes), _Vector, _Vector)
def _keep_if(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    return builder.bitcast(builder.and_(values[0], builder.bitcast(values[1], values[0].type)), values[1].type)


@_compiled(choose, _same(_lanes), _Vector, _Vector, _Vector)
def _choose(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    false = _ints(kinds[0].size, [0] * kinds[0].size)
    return builder.select(builder.icmp_signed("<", values[0], false), values[1], values[2])


@_compiled(pick_lane, lambda given: _mask(given[0].size), _Vector, types.float32, types.intp)
def _pick_lane(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    running, unit, last = values
    size = kinds[0].size
    zeros, iota = _floats(size, 0.0), _ints(size, range(size))

    def shifted(vector: Any, fill: Any, step: int) -> Any:
        return builder.shuffle_vector(vector, fill, _ints(size, ((i - step) % (2 * size) for i in range(size))))

    step = 1
    while step < size:
        running = builder.fadd(running, shifted(running, zeros, step))
        step *= 2
    threshold = builder.fmul(
        _spread(builder, unit, size), builder.shuffle_vector(running, zeros, _ints(size, [size - 1] * size))
    )
    before_last = builder.icmp_signed("<", iota, _spread(builder, builder.trunc(last, _INT), size))
    # Selected before the comparison, while the threshold is being computed. No comparison with NaN is true.
    running = builder.select(before_last, running, _floats(size, float("nan")))
    beyond = builder.sext(builder.fcmp_ordered(">=", threshold, running), iota.type)
    reached = shifted(beyond, _ints(size, [-1] * size), 1)
    return builder.and_(reached, builder.not_(beyond))


@_compiled(lane_of, types.int64, _Vector)
def _lane_of(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    size = kinds[0].size
    lanes = builder.bitcast(builder.icmp_signed("<", values[0], _ints(size, [0] * size)), ir.IntType(size))
    return builder.zext(builder.cttz(builder.zext(lanes, _INT), ir.IntType(1)(1)), ir.IntType(64))


@_compiled(load_line, _FLOATS, types.Array, types.intp, types.intp)
def _load_line(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    pointer, align = _pointer(context, builder, kinds[0], values[0], [values[1], values[2]], LINE)
    line, floats = builder.load(pointer, align=align), ir.VectorType(ir.FloatType(), LINE)
    if kinds[0].dtype == types.float32:
        return line
    return builder.sitofp(line, floats) if kinds[0].dtype.signed else builder.uitofp(line, floats)


@_compiled(load_floats, _FLOATS, types.Array, types.intp)
def _load_floats(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    pointer, align = _pointer(context, builder, kinds[0], values[0], [values[1]], LINE)
    return builder.load(pointer, align=align)


@_compiled(store_floats, types.void, types.Array, types.intp, _FLOATS)
def _store_floats(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    pointer, align = _pointer(context, builder, kinds[0], values[0], [values[1]], LINE)
    builder.store(values[2], pointer, align=align)


@_compiled(add_integers, types.void, types.Array, types.intp, _INTEGERS)
def _add_integers(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    pointer, align = _pointer(context, builder, kinds[0], values[0], [values[1]], LINE)
    builder.store(builder.add(builder.load(pointer, align=align), values[2]), pointer, align=align)


def _bits(builder: Any, line: Any) -> Any:
    return builder.bitcast(line, ir.VectorType(_INT, LINE))


@_compiled(mantissas, _FLOATS, _FLOATS)
def _mantissas(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    mantissa, one = (_spread(builder, _INT(bits), LINE) for bits in (_MANTISSA, _ONE_BITS))
    bits = builder.or_(builder.and_(_bits(builder, values[0]), mantissa), one)
    return builder.bitcast(bits, values[0].type)


@_compiled(biased_exponents, _INTEGERS, _FLOATS)
def _biased_exponents(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    return builder.ashr(_bits(builder, values[0]), _spread(builder, _INT(_EXPONENT_SHIFT), LINE))
