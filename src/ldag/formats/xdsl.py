"""GeNIe XDSL: general chance nodes (``cpt``) and deterministic ones; noisy nodes and decisions are refused.

Known trap: the last parent changes fastest, as GeNIe has it; pyAgrum reads and writes the first one fastest. Its own
files say that they are, and are read so.
"""

from dataclasses import replace

import numpy as np

from ldag.errors import FormatError, suggest
from ldag.formats.lexer import read_numbers
from ldag.formats.notes import Spelling, finish_tables, plain_identifiers, write_notes
from ldag.formats.record import Carries, CptRecord, Format, TabularRecord, VariableRecord
from ldag.formats.record_checks import certain_rows
from ldag.formats.xml_tree import Element, decode_note, encode_note, parse_xml


def read_xdsl(text: str) -> TabularRecord:
    """Read XDSL."""
    root, comments = parse_xml(text, "smile")
    variables, tables = [], []
    for item in root.need("nodes").children:
        if item.tag not in {"cpt", "deterministic"}:
            raise FormatError(
                f"{item.where}expected a node <cpt> or <deterministic>, got <{item.tag}>; it is not supported"
            )
        states = tuple(_id(state) for state in item.all("state"))
        variables.append(VariableRecord(_id(item), states, item.where))
        parents = item.first("parents")
        names = tuple(parents.text.split()) if parents is not None else ()
        if item.tag == "cpt":
            numbers = read_numbers(item.need("probabilities").text.split(), item.need("probabilities").where)
        else:
            numbers = _certain(item, states)
        tables.append(CptRecord(_id(item), names, numbers, item.where))
    if _is_agrum(root):
        tables = [replace(table, parents=table.parents[::-1]) for table in tables]
    notes = [(where, decode_note(comment)) for where, comment in comments if comment.startswith("ldag ")]
    return finish_tables(variables, tables, notes)


def write_xdsl(record: TabularRecord) -> str:
    """Write XDSL for GeNIe, with the nodes in an order in which parents come first."""
    spelling = Spelling(record, plain_identifiers)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<smile version="1.0" id="ldag" numsamples="10000">']
    lines += [f"<!-- {encode_note(note)} -->" for note in write_notes(record, spelling)]
    tables = parents_first(record.tables)
    if [table.node for table in tables] != list(spelling.names):
        lines.append(f"<!-- ldag order {' '.join(spelling.names.values())} -->")
    lines.append("<nodes>")
    for table in tables:
        states = "".join(f'  <state id="{state}" />\n' for state in spelling.states[table.node])
        names = " ".join(spelling.names[parent] for parent in table.parents)
        parents = f"  <parents>{names}</parents>\n" if names else ""
        numbers = " ".join(map(repr, np.ravel(table.values).tolist()))
        body = f"{states}{parents}  <probabilities>{numbers}</probabilities>"
        lines.append(f'<cpt id="{spelling.names[table.node]}">\n{body}\n</cpt>')
    lines += ["</nodes>", "<extensions>", '<genie version="1.0" name="ldag">']
    for place, table in enumerate(record.tables):
        x, y = 40 + 140 * (place % 8), 40 + 80 * (place // 8)
        lines.append(
            f'<node id="{spelling.names[table.node]}"><name>{spelling.names[table.node]}</name>'
            f'<interior color="e5f6f7" /><outline color="000080" /><font color="000000" name="Arial" size="8" />'
            f"<position>{x} {y} {x + 110} {y + 40}</position></node>"
        )
    return "\n".join([*lines, "</genie>", "</extensions>", "</smile>", ""])


def parents_first(tables: tuple[CptRecord, ...]) -> list[CptRecord]:
    """Return tables so that those of parents come before those of children, otherwise in their order."""
    waiting = {table.node: table for table in tables}
    done: dict[str, CptRecord] = {}
    for table in tables:
        path = [table.node]
        while path:
            missing = [parent for parent in waiting[path[-1]].parents if parent not in done]
            if missing:
                path.append(missing[0])
            else:
                node = path.pop()
                done[node] = waiting[node]
    return list(done.values())


def _is_agrum(root: Element) -> bool:
    """Whether pyAgrum wrote the file."""
    extensions = root.first("extensions")
    genie = extensions.first("genie") if extensions is not None else None
    return genie is not None and genie.attributes.get("app", "").startswith("aGrUM")


def _id(item: Element) -> str:
    if "id" not in item.attributes:
        raise FormatError(f"{item.where}expected <{item.tag}> with an id, got none")
    return item.attributes["id"]


def _certain(item: Element, states: tuple[str, ...]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the rows of a deterministic node."""
    chosen = item.need("resultingstates").text.split()
    codes = {state: code for code, state in enumerate(states)}
    for state in chosen:
        if state not in codes:
            raise FormatError(f"{item.where}no state {state!r}{suggest(state, codes)}")
    return certain_rows([codes[state] for state in chosen], len(states), _id(item), item.where)


FORMAT = Format(
    name="xdsl",
    title="XDSL",
    endings=(".xdsl",),
    used_by="GeNIe, SMILE, pyAgrum",
    carries=Carries(labels="in comments", latent="in comments", probabilities="yes"),
    read=read_xdsl,
    write_tables=write_xdsl,
)
