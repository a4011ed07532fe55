"""The several-paths model: a tree of topics down which every token walks by itself."""
