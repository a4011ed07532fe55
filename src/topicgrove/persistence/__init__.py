"""Models and checkpoints on disk: sealed safetensors files, written whole or not at all. No pickle."""
