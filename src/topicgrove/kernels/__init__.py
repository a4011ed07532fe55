"""Compiled kernels: the hot loops of the samplers, as functions of plain arrays."""
