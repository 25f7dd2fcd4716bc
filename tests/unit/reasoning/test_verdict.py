"""Verdicts as values."""

import json

import ldag


def test_a_verdict_as_plain_values() -> None:
    """What was asked, the answer, why, and the witness of a dependence."""
    guard = ldag.datasets.graph("guard")
    holds = guard.implies("gender", "badge", context={"person": "spy"}).to_dict()
    assert json.loads(json.dumps(holds)) == {
        "a": ["gender"],
        "b": ["badge"],
        "given": [],
        "context": {"person": "spy"},
        "decided": True,
        "independent": True,
        "how": "CSI-separation",
        "explanation": guard.implies("gender", "badge", context={"person": "spy"}).explain(),
    }
    fails = json.loads(json.dumps(guard.implies("gender", "badge", given=["person"]).to_dict()))
    assert (fails["independent"], fails["given"]) == (False, ["person"])
    first, second = fails["witness"]["probabilities"]
    assert first != second
    assert set(fails["witness"]["a"]) == {"gender"}
