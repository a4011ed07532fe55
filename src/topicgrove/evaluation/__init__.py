"""Measures of a model: log joint probability, held-out perplexity, coherence, and quality of the tree."""
