"""`python -m ldag`: the command line."""

from ldag.cli.main import main

if __name__ == "__main__":
    main()
