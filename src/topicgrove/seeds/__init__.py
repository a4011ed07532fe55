"""Seeds: topics that users name before training, with words that belong to them."""
