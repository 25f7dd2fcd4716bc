"""What `make demo` shows: two graphs in words, independence questions with proofs, and a graph learned from data."""

import shlex
import subprocess
import sys
from pathlib import Path

COMMANDS = (
    ("show", "guard"),
    ("show", "heart"),
    ("implies", "guard", "gender", "badge", "--context", "person=spy"),
    ("implies", "heart", "physical", "pressure", "--context", "protein=>3"),
    ("implies", "guard", "gender", "badge", "--context", "person=worker"),
    ("learn", "heart"),
)


def main() -> None:
    """Run the commands as a newcomer would type them."""
    program = Path(sys.executable).with_name("ldag")
    for arguments in COMMANDS:
        print(f"\n$ ldag {shlex.join(arguments)}\n", flush=True)
        subprocess.run([program, *arguments], check=True)


if __name__ == "__main__":
    main()
