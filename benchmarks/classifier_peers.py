"""Classifiers of pyAgrum and pgmpy in scikit-learn's manner, for `bench_classifier`.

Both take tables of whole numbers and smooth by one observation in each cell, as naive Bayes of scikit-learn does.
Neither takes a state that it has not seen: in its place they get the most common one of the column.
"""

from typing import Any, Literal, Self

import numpy as np
import pandas as pd


class SeenStates:
    """What columns have, to replace what only new rows have."""

    def __init__(self, rows: Any) -> None:
        self.known = [np.unique(column) for column in rows.T]
        self.usual = [np.bincount(column).argmax() for column in rows.T]

    def replace(self, rows: Any) -> Any:
        """Return rows with the most common state wherever theirs was not seen."""
        pairs = zip(rows.T, self.known, self.usual, strict=True)
        return np.array([np.where(np.isin(column, known), column, usual) for column, known, usual in pairs]).T


class AgrumClassifier:
    """pyAgrum's classifier: naive Bayes, tree-augmented naive Bayes, or a network climbed to with BIC."""

    def __init__(self, method: Literal["NaiveBayes", "TAN", "GHC"]) -> None:
        self.method = method

    def fit(self, rows: Any, classes: Any) -> Self:
        """Learn structure and parameters."""
        from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
        from pyagrum.skbn import BNClassifier

        types = DiscreteTypeProcessor(defaultDiscretizationMethod="NoDiscretization", defaultNumberOfBins=None)
        self.model = BNClassifier(
            type_processor=types, learningMethod=self.method, scoringType="BIC", prior="Smoothing", priorWeight=1
        )
        self.model.fit(rows, classes)
        self.seen = SeenStates(rows)
        return self

    def predict_proba(self, rows: Any) -> Any:
        """Return the probabilities of the classes."""
        return self.model.predict_proba(self.seen.replace(rows))


class PgmpyClassifier:
    """pgmpy's networks: naive Bayes, or tree-augmented naive Bayes."""

    def __init__(self, method: Literal["naive", "tan"]) -> None:
        self.method = method

    def fit(self, rows: Any, classes: Any) -> Self:
        """Learn structure and parameters; the class is the last column."""
        from pgmpy.estimators import TreeSearch
        from pgmpy.models import DiscreteBayesianNetwork
        from pgmpy.parameter_estimator import DiscreteBayesianEstimator

        self.classes = np.unique(classes)
        self.names = [f"x{place}" for place in range(rows.shape[1])]
        table = pd.DataFrame(rows, columns=self.names).assign(y=classes)
        if self.method == "tan":
            search = TreeSearch(table, root_node="x0")
            edges = search.estimate("tan", class_node="y", show_progress=False).edges()
        else:
            edges = [("y", name) for name in self.names]
        self.model = DiscreteBayesianNetwork(edges).fit(table, estimator=DiscreteBayesianEstimator(prior_type="K2"))
        self.seen = SeenStates(rows)
        return self

    def predict_proba(self, rows: Any) -> Any:
        """Return the probabilities of the classes."""
        table = pd.DataFrame(self.seen.replace(rows), columns=self.names)
        found = self.model.predict_probability(table)
        return found[[f"y_{one}" for one in self.classes]].to_numpy()
