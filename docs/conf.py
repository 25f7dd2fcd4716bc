"""How Sphinx builds these pages; `make docs` runs it with warnings as errors."""

import csv
import inspect
import math
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SUMMARISED = {f"ldag.{name}" for name in ("LDAG", "Network", "Fit", "Posterior")}  # classes with many methods

project = "ldag"
author = "The ldag developers"
project_copyright = author
release = version = installed_version("ldag")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
default_role = "py:obj"  # `implies` in a docstring is a link

myst_heading_anchors = 3

autodoc_class_signature = "separated"
autodoc_default_options = {"exclude-members": "__init__, __new__"}  # classes are not built by hand
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"NestedTree": "NestedTree"}  # it refers to itself
napoleon_google_docstring = False
python_maximum_signature_line_length = 88

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_title = f"ldag {release}"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False


def setup(app: Any) -> None:
    """Prepare docstrings before napoleon reads them."""
    app.connect("builder-inited", _write_tables)
    app.connect("autodoc-process-docstring", _shield_property, priority=400)
    app.connect("autodoc-process-docstring", _summarise_class, priority=900)  # after napoleon


def _shield_property(*details: Any) -> None:
    """Put a comment first, or "Number of parameters: one per class" is taken for a type and what it means."""
    _, what, *_, lines = details
    if what == "property":
        lines[:0] = ["..", ""]


def _summarise_class(*details: Any) -> None:
    """Put a table of its methods and properties behind the docstring of a class that has many."""
    _, what, name, thing, _, lines = details
    if what != "class" or name not in SUMMARISED:
        return
    lines += ["", ".. list-table::", "   :widths: 30 70", ""]
    for member in sorted(member for member in dir(thing) if not member.startswith("_")):
        text = (inspect.getdoc(getattr(thing, member)) or "").partition("\n\n")[0].replace("\n", " ")
        if text and (inspect.isroutine(getattr(thing, member)) or isinstance(getattr(thing, member), property)):
            lines += [f"   * - :py:obj:`{member} <{name}.{member}>`", f"     - {text}"]
    lines.append("")


def _write_tables(*_: Any) -> None:
    """Write the results of the benchmarks as tables for people."""
    folder = HERE / "_build" / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    for source in (HERE.parent / "benchmarks" / "results").glob("*.csv"):
        with source.open(encoding="utf-8") as rows:
            found = list(csv.DictReader(rows))
        if "job" in found[0]:
            cells = _job_cells(found)
        elif source.stem == "inference":
            cells = [_network_cells(row) for row in found]
        elif source.stem == "networks":
            cells = _climb_cells(found)
        elif source.stem == "certify":
            cells = [_proof_cells(row) for row in found]
        else:  # a table of another kind
            continue
        with (folder / source.name).open("w", encoding="utf-8") as table:
            csv.writer(table).writerows([list(cells[0]), *(row.values() for row in cells)])


def _proof_cells(row: dict[str, str]) -> dict[str, str]:
    """Return how a proof ended."""
    kappa, score, bound = (float(row[name]) for name in ("kappa", "score", "bound"))
    best = max(score, float(row["better_score"] or score))
    gap = "optimal" if bound - best <= 1e-4 else f"gap {bound - best:.1f} ({(bound - best) / -best:.3%})"
    return {
        "network x rows": f"{row['network']} ({row['n_variables']}) x {int(row['n_rows']):,}",
        "families": ("tables" if kappa == 1 else f"labels, kappa {kappa:g}") + f", up to {row['max_parents']} parents",
        "in all, undominated, left": " / ".join(f"{int(row[name]):,}" for name in ("n_families", "n_kept", "n_left")),
        "score of climb": f"{score:,.1f}",
        "proof": gap + (f"; a graph better by {best - score:.1f} was found" if best > score else ""),
        "cuts, branches": f"{int(row['n_cuts']):,}, {int(row['n_branches']):,}",
        "CPU time": _spell(float(row["cpu_seconds"])),
    }


def _job_cells(found: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return a row per job, the other programs in one cell."""
    made = []
    for job in dict.fromkeys(row["job"] for row in found):
        own = [row for row in found if row["job"] == job]
        verdicts = sorted({row["verdict"] for row in own if row["verdict"]})  # what was missed comes first
        made.append(
            {
                "what": job,
                "ours": _spell(float(own[0]["seconds"])),
                "others: time, times ours": "; ".join(filter(None, map(_peer, own))),
                "goal": verdicts[0] if verdicts else "",
            }
        )
    return made


def _peer(row: dict[str, str]) -> str:
    """Return what another program needed for a job, and how many times ours that is."""
    if not row["peer_seconds"]:
        return row["peer"]
    theirs = float(row["peer_seconds"])
    return f"{row['peer']}: {_spell(theirs)}, {theirs / float(row['seconds']):.2g} x"


def _network_cells(row: dict[str, str]) -> dict[str, str]:
    """Return the cells of a network: our times and memory, and pyAgrum's behind them."""

    def pair(ours: str, theirs: str) -> str:
        times = [float(row[key] or "nan") for key in (ours, theirs)]
        ratio = "" if any(map(math.isnan, times)) or not times[0] else f" ({times[1] / times[0]:.2g} x)"
        return f"{_spell(times[0]) or '-'} / {_spell(times[1]) or '-'}{ratio}"

    megabytes = [f"{float(row[key]):,.0f}" if row[key] else "-" for key in ("memory", "memory_peer")]
    return {
        "network": row["network"] + (f" ({row['trouble']})" if row["trouble"] else ""),
        "first answer": pair("first", "first_peer"),
        "later answers": pair("later", "later_peer"),
        "once compiled": pair("compiled", "later_peer"),
        "one of 1,000": pair("batch", "later_peer"),
        "compile": _spell(float(row["compile"] or "nan")),
        "MB": " / ".join(megabytes),
    }


def _climb_cells(found: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return a row per sample of a network: our best score, and by how much every other graph is worse."""
    made = []
    for sample in dict.fromkeys((row["network"], row["n_rows"]) for row in found):
        own = [row for row in found if (row["network"], row["n_rows"]) == sample]
        best = max((float(row["score"]) for row in own if row["program"] == "ldag" and row["score"]), default=math.nan)
        cells = {"network": f"{sample[0]}, {own[0]['n_variables']} variables", "rows": f"{int(sample[1]):,}"}
        cells["best score of ours"] = "" if math.isnan(best) else f"{best:,.1f}"
        for program in ("ldag", "ldag, one climb", "pybnesian", "pyagrum", "pgmpy"):
            runs = [row for row in own if row["program"] == program]
            cells[program] = _worst(runs, best) if runs else ""
        made.append(cells)
    return made


def _worst(runs: list[dict[str, str]], best: float) -> str:
    """Return how far the worst run of a program ended below the best of ours, and its longest time."""
    if not all(row["score"] for row in runs):
        return "did not end"
    time = _spell(max(float(row["cpu_seconds"]) for row in runs))
    if math.isnan(best):
        return time
    return f"{min(float(row['score']) for row in runs) - best:+,.1f}; {time}"


def _spell(seconds: float) -> str:
    """Return a time with a unit that suits it, and nothing for one that is not known."""
    if math.isnan(seconds):
        return ""
    unit, size = next((pair for pair in (("s", 1.0), ("ms", 1e-3)) if seconds >= pair[1]), ("µs", 1e-6))
    return f"{seconds / size:.3g}\N{NO-BREAK SPACE}{unit}"
