"""Draws the pictures that the README and the pages show."""

from pathlib import Path

import ldag

HERE = Path(__file__).parent


def main() -> None:
    """Write the pictures beside this file."""
    for name in ("guard", "heart"):
        (HERE / f"{name}.svg").write_text(ldag.datasets.graph(name).to_svg(title=f"The {name} graph"))


if __name__ == "__main__":
    main()
