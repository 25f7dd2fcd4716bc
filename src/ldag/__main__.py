"""The command `ldag`, and `python -m ldag`: all is imported inside, so that Ctrl-C is answered meanwhile."""

import os
import sys


def main() -> None:
    """Run the command line, quietly ended by Ctrl-C also while it is still being loaded."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts its threads when loaded; our loops have their own
    try:
        from ldag.cli.main import main as run
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
