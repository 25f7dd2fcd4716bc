"""XMLBIF 0.3: BIF in XML.

Known trap: pgmpy cannot read a property with two ``=``, so that notes are properties with one and the rest encoded.
"""

import numpy as np

from ldag.formats.lexer import read_numbers
from ldag.formats.notes import Spelling, finish_tables, plain_words, write_notes
from ldag.formats.record import Carries, CptRecord, Format, TabularRecord, VariableRecord
from ldag.formats.xml_tree import Element, decode_note, encode_note, parse_xml

_NOTE = "ldag_note"


def read_xmlbif(text: str) -> TabularRecord:
    """Read XMLBIF."""
    root, _ = parse_xml(text, "bif")
    network = root.need("network")
    variables = tuple(_variable(item) for item in network.all("variable"))
    tables = [
        CptRecord(
            item.need("for").text,
            tuple(given.text for given in item.all("given")),
            read_numbers(item.need("table").text.split(), item.need("table").where),
            item.where,
        )
        for item in network.all("definition")
    ]
    notes = [note for item in network.all("property") if (note := _note(item))]
    return finish_tables(variables, tables, notes)


def write_xmlbif(record: TabularRecord) -> str:
    """Write XMLBIF that pgmpy and pyAgrum read."""
    spelling = Spelling(record, plain_words)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>", "<NAME>unknown</NAME>"]
    lines += [f"<PROPERTY>{_NOTE} = {encode_note(note)}</PROPERTY>" for note in write_notes(record, spelling)]
    for name, states in spelling.states.items():
        outcomes = "".join(f"  <OUTCOME>{state}</OUTCOME>\n" for state in states)
        lines.append(f'<VARIABLE TYPE="nature">\n  <NAME>{spelling.names[name]}</NAME>\n{outcomes}</VARIABLE>')
    for table in record.tables:
        given = "".join(f"  <GIVEN>{spelling.names[parent]}</GIVEN>\n" for parent in table.parents)
        numbers = " ".join(map(repr, np.ravel(table.values).tolist()))
        lines.append(
            f"<DEFINITION>\n  <FOR>{spelling.names[table.node]}</FOR>\n{given}  <TABLE>{numbers}</TABLE>\n</DEFINITION>"
        )
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""])


def _variable(item: Element) -> VariableRecord:
    return VariableRecord(item.need("name").text, tuple(state.text for state in item.all("outcome")), item.where)


def _note(item: Element) -> tuple[str, str] | None:
    key, _, note = item.text.partition("=")
    return (item.where, decode_note(note.strip())) if key.strip() == _NOTE else None


FORMAT = Format(
    name="xmlbif",
    title="XMLBIF",
    endings=(".xmlbif", ".bifxml", ".xml"),
    used_by="pgmpy, pyAgrum, Weka",
    carries=Carries(labels="in comments", latent="in comments", probabilities="yes"),
    read=read_xmlbif,
    write_tables=write_xmlbif,
)
