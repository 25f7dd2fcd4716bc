"""`ldag certify`: proofs on the command line."""

import json

import pytest

from tests.command import run

pytest.importorskip("highspy")


def test_a_proof_in_words_and_as_json() -> None:
    """The fit and its proof."""
    shown = run("certify", "heart", "--kappa", "0.1", "--equivalent-sample-size", "1", "--method", "climb")
    assert (
        "optimal: no allowed graph with at most 5 parents of a variable scores better than -6729.69 (sample size 1)"
        in shown
    )
    assert (
        json.loads(run("certify", "heart", "--kappa", "0.1", "--equivalent-sample-size", "1", "--json"))["certificate"][
            "optimal"
        ]
        is True
    )


def test_the_limit_of_the_proof_is_called_by_its_option() -> None:
    """Python's argument has the name that the limit of the search has here."""
    said = run("certify", "heart", "--kappa", "0.1", "--proof-limit", "-1", code=2)
    assert "--proof-limit must be a number of seconds above 0" in said
