"""``python -m topicgrove`` is the command line."""

from topicgrove.cli import main

if __name__ == "__main__":
    main()
