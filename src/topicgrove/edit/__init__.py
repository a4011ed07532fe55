"""Edits of a trained tree: merge, move, split, delete, reorder and rename topics, from Python or from a file."""
