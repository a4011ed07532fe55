"""Names of topics from namers: keyphrases, any callable, a command, or a language model behind a URL."""
