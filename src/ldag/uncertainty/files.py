"""A posterior in files: parent sets with their probabilities and counts, ancestors, and drawn DAGs."""

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Self, cast

import numpy as np

from ldag import _native
from ldag.formats import DocumentRecord, read_document, read_variables, write_document, write_variables
from ldag.learning import LabelRule, LabelRules
from ldag.uncertainty.base import PosteriorMethod
from ldag.uncertainty.component import KEPT_SET, Component, KeptDags, sum_edges
from ldag.uncertainty.diagnostics import Diagnostics
from ldag.uncertainty.directing import DirectionChances
from ldag.uncertainty.families import FamilyLabels, KnownCounts
from ldag.uncertainty.priors import PosteriorPriors
from ldag.uncertainty.statements import PosteriorStatements

N_KEPT = 1000
"""DAGs that are drawn and written, so that questions about whole graphs can be asked of a file."""


class PosteriorFiles(PosteriorStatements):
    """Reading and writing."""

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, which `load` can read once they are written as JSON.

        Parent sets less probable than one in ten billion are left out, and 1,000 DAGs are drawn and kept for questions
        about whole graphs. Counts of the families that are kept are in it: it tells about the data what they tell.
        """
        return {
            "format": "ldag posterior",
            "version": 1,
            "variables": write_variables(self.schema),
            "order": list(self.names),
            "prior": self.priors.prior,
            "equivalent_sample_size": self.priors.equivalent_sample_size,
            "method": self.method,
            "notes": list(self.notes),
            "settings": dict(self.settings),
            "n_observations": self.n_observations,
            "seconds": self.seconds,
            "log_evidence": self.log_evidence,
            "diagnostics": None if self.diagnostics is None else self.diagnostics.to_dict(),
            "label_rules": [[asdict(rule) for rule in of_node] for of_node in self.families.label_rules],
            "families": self._families_to_list(),
            "directions": self._directions.to_dict(),
            "components": [_component_to_dict(component) for component in self.components],
        }

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        write_document(DocumentRecord("posterior", self.to_dict()), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote. It holds no data, so `log_predictive` cannot be asked of it."""
        return read_document(path, "posterior", cls.from_dict)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` returns."""
        return cls(**_fields(content))

    def _families_to_list(self) -> list[dict[str, object]]:
        """Return the counts of all families that some component keeps."""
        kept = dict.fromkeys(
            (node, parents)
            for component in self.components
            for node, sets in enumerate(component.sets)
            for parents, p in zip(sets, component.probabilities[node].tolist(), strict=True)
            if p > KEPT_SET
        )
        return [
            {"node": node, "parents": list(parents), "counts": self.families.count(node, parents).tolist()}
            for node, parents in kept
        ]


def _component_to_dict(component: Component) -> dict[str, object]:
    """Return what is kept of a component: its probable parent sets, and DAGs made of these."""
    kept = [np.flatnonzero(p > KEPT_SET) for p in component.probabilities]
    drawn = component.draw(N_KEPT, 0)
    inside = [np.isin(drawn[:, node], own) for node, own in enumerate(kept)]
    dags = [np.searchsorted(own, drawn[np.all(inside, axis=0), node]).tolist() for node, own in enumerate(kept)]
    return {
        "kappa": component.kappa,
        "weight": component.weight,
        "log_evidence": component.log_evidence,
        "parent_sets": [
            [
                {"parents": list(component.sets[node][i]), "probability": float(component.probabilities[node][i])}
                for i in own
            ]
            for node, own in enumerate(kept)
        ],
        "edges": component.edges.tolist(),
        "ancestors": component.ancestors.tolist(),
        "dags": dags,
    }


def _fields(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a posterior."""
    schema = read_variables(content["variables"])
    kappas = tuple(float(c["kappa"]) for c in content["components"])
    largest = content["settings"].get("max_configurations", _native.MAX_EXACT_CELLS)
    priors = PosteriorPriors(kappas, float(content["equivalent_sample_size"]), content["prior"], largest)
    counts = {(f["node"], tuple(f["parents"])): np.array(f["counts"], dtype=np.float64) for f in content["families"]}
    given, directions = content["diagnostics"], content.get("directions")  # which older files do not have
    return {
        "schema": schema,
        "names": tuple(content["order"]),
        "priors": priors,
        "components": tuple(_component(one) for one in content["components"]),
        "families": FamilyLabels(schema.n_states, KnownCounts(counts), priors, _label_rules(content)),
        "method": cast("PosteriorMethod", content["method"]),
        "diagnostics": None if given is None else Diagnostics.from_dict(given),
        "notes": tuple(content["notes"]),
        "settings": content["settings"],
        "n_observations": content["n_observations"],
        "seconds": content["seconds"],
        "known_directions": None if directions is None else DirectionChances.from_dict(directions),
    }


def _label_rules(content: Mapping[str, Any]) -> LabelRules:
    """Return the labels that constraints fix; older files do not have them."""
    return tuple(
        tuple(
            LabelRule(rule["parent"], tuple(tuple(map(tuple, context)) for context in rule["contexts"]))
            for rule in of_node
        )
        for of_node in content.get("label_rules", ())
    )


def _component(given: Mapping[str, Any]) -> Component:
    draw = KeptDags(np.array(given["dags"], dtype=np.uint32).T, is_all=True)
    sets = tuple(tuple(tuple(s["parents"]) for s in own) for own in given["parent_sets"])
    probabilities = tuple(np.array([s["probability"] for s in own], dtype=np.float64) for own in given["parent_sets"])
    edges = given.get("edges")  # which older files do not have
    return Component(
        float(given["kappa"]),
        float(given["weight"]),
        sets,
        probabilities,
        sum_edges(sets, probabilities) if edges is None else np.array(edges, dtype=np.float64),
        np.array(given["ancestors"], dtype=np.float64),
        given["log_evidence"],
        draw,
    )
