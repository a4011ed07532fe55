"""Models and checkpoints on disk: sealed safetensors files, written atomically. No pickle."""
