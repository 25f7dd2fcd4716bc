"""Proper imputation against sums over all completions with the parameters integrated out, made by other code."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldag import LDAG, Network
from ldag.network import imputing

FILE = Path(__file__).parent / "files" / "missing_cells.json"
CASES: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", list(CASES))
def test_shares_of_states_are_their_posterior(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over many imputations, each cell has its states as often as they are probable, within Monte-Carlo error.

    Fewer steps between imputations make them depend on each other, and the shares are as they should be all the same.
    """
    case = CASES[name]
    monkeypatch.setattr(imputing, "SWEEPS", 3)
    partitions = {node: (family["parents"], family["classes"]) for node, family in case["families"].items()}
    graph = LDAG.from_partitions(partitions, states=case["variables"])
    table = {variable: [row[place] for row in case["rows"]] for place, variable in enumerate(case["variables"])}
    full = {variable: [cell or case["variables"][variable][0] for cell in cells] for variable, cells in table.items()}
    net = Network.from_data(graph, full, equivalent_sample_size=case["equivalent_sample_size"])
    tables = net.impute(table, 1500, proper=True, rng=1)
    for cell, expected in case["posterior_of_missing_cells"].items():
        row, variable = int(cell.partition(":")[0].removeprefix("row")), cell.partition(":")[2]
        drawn = [one[variable][row] for one in tables]
        shares = [drawn.count(state) / len(drawn) for state in case["variables"][variable]]
        assert np.allclose(shares, expected, atol=0.06), cell
