"""How good a model is: the log joint probability and held-out perplexity."""
