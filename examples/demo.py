"""What `make demo` shows: a finding in real data, questions answered, a picture, a report and an explorer."""

import shlex
import subprocess
import sys
from pathlib import Path

FOLDER = Path("build/demo")

EDGES = ("--require", "gender -> admitted", "--require", "department -> admitted")
"""What is asked: the edges are given, when they matter is learned."""

COMMANDS = (
    ("learn", "ucb", "--kappa", "0.3", *EDGES, "-o", f"{FOLDER}/ucb.json"),
    ("explain", f"{FOLDER}/ucb.json", "admitted"),
    ("query", f"{FOLDER}/ucb.json", "admitted", "--given", "gender=Female", "--given", "department=A"),
    ("implies", f"{FOLDER}/ucb.json", "gender", "admitted", "--context", "department=B"),
    ("plot", f"{FOLDER}/ucb.json", "-o", f"{FOLDER}/ucb.svg"),
    ("report", "ucb", "--kappa", "0.3", *EDGES, "-o", f"{FOLDER}/ucb.html"),
    ("explore", f"{FOLDER}/ucb.json", "-o", f"{FOLDER}/ucb-explorer.html"),
)


def main() -> None:
    """Run the commands as a newcomer would type them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    program = Path(sys.executable).with_name("ldag")
    print("Berkeley, 1973: 4,526 applicants to six departments. When does gender matter for admission?")
    for arguments in COMMANDS:
        print(f"\n$ ldag {shlex.join(arguments)}\n", flush=True)
        subprocess.run([program, *arguments], check=True)
    print(f"\nLook at {FOLDER}/ucb.svg, {FOLDER}/ucb.html and {FOLDER}/ucb-explorer.html in a browser.")


if __name__ == "__main__":
    main()
