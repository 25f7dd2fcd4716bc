"""One self-contained HTML page with the tables and figures of a folder."""

from collections.abc import Mapping, Sequence
from html import escape

from experiments.paper.cells import Row
from experiments.paper.tables import Show

STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 'Helvetica Neue',Helvetica,Arial,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;
background:#fff;color:#22303c}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.5rem}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .6rem;text-align:right;border-bottom:1px solid #dfe5ea;white-space:nowrap}
svg{max-width:100%;height:auto;margin:.5rem 0}
.no{color:#b3261e;font-weight:600}.yes{color:#00694f;font-weight:600}
@media(prefers-color-scheme:dark){body{background:#15191e;color:#dde4ea}th,td{border-color:#39424b}
.no{color:#ff8a80}.yes{color:#3ccf9f}}
"""


def render_table(rows: Sequence[Row], show: Show) -> str:
    """Return rows as an HTML table."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in show)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(write(row))}</td>" for write in show.values()) + "</tr>" for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def render_page(sections: Sequence[tuple[str, str]], made_by: Mapping[str, object]) -> str:
    """Return the page: a heading and its content for each section, and last what made the results."""
    parts = [f"<section><h2>{escape(title)}</h2>\n{content}\n</section>" for title, content in sections]
    made = "".join(f"<li>{escape(name)}: {escape(_spell(value))}</li>" for name, value in made_by.items())
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Labelled DAGs: the paper reproduced</title><style>{STYLE}</style></head><body>",
            "<h1>Labelled DAGs: the paper reproduced</h1>",
            "<p>Pensar, Nyman, Koski and Corander, <i>Labeled directed acyclic graphs</i> (2015). The paper's own "
            "numbers stand in brackets, in the column “paper”, or as marks in the figures; its parameters were drawn "
            "once, ours several times.</p>",
            *parts,
            f"<section><h2>How this was made</h2><ul>{made}</ul></section>",
            "</body></html>\n",
        ]
    )


def _spell(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_spell(some)}" for name, some in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
