"""The classifier against scikit-learn's logistic regression and naive Bayes, and the classifiers of pyAgrum and pgmpy.

    python -m benchmarks.bench_classifier [--sets NAME ...] [--models NAME ...]

Tables that come along with scikit-learn or with ldag, so that nothing is downloaded; measurements are cut into three
quantiles, within each training part. Log-loss and accuracy are means over five outer folds, stratified by class; all
choices of a model are made inside its training part. CPU seconds are those of fitting, in all folds together. Rows of
results are kept in ``results/classifier.csv``, in place of older ones of the same data and model.
"""

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np
from sklearn import datasets as sklearn_tables
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder

import ldag
from benchmarks.classifier_peers import AgrumClassifier, PgmpyClassifier
from benchmarks.harness import RESULTS

N_FOLDS = 5
N_BINS = 3
ALL_BY_CV: dict[str, Any] = {"kappa": "cv", "structure": "cv", "prior": "cv", "smoothing": "cv"}


@dataclass(frozen=True)
class Result:
    """One measurement."""

    data: str
    model: str
    rows: int
    features: int
    log_loss: float
    accuracy: float
    cpu: float


MODELS: dict[str, Callable[[], Any]] = {
    "ldag": ldag.LDAGClassifier,
    "ldag, everything by cv": lambda: ldag.LDAGClassifier(**ALL_BY_CV),
    "ldag, sample size 1": lambda: ldag.LDAGClassifier(equivalent_sample_size=1.0),
    "ldag, sample size 30": lambda: ldag.LDAGClassifier(equivalent_sample_size=30.0),
    "logistic regression": lambda: make_pipeline(
        OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=2000)
    ),
    "naive Bayes": lambda: CategoricalNB(min_categories=N_BINS + 8),
    "pyAgrum, naive Bayes": lambda: AgrumClassifier("NaiveBayes"),
    "pyAgrum, TAN": lambda: AgrumClassifier("TAN"),
    "pyAgrum, climb": lambda: AgrumClassifier("GHC"),
    "pgmpy, naive Bayes": lambda: PgmpyClassifier("naive"),
    "pgmpy, TAN": lambda: PgmpyClassifier("tan"),
}


def tables() -> dict[str, Callable[[], tuple[Any, Any, bool]]]:
    """Return the tables by name: features, classes, and whether the features are measurements."""

    def measured(load: Callable[..., Any]) -> Callable[[], tuple[Any, Any, bool]]:
        return lambda: (*load(return_X_y=True), True)

    def counted(name: str, target: str) -> Callable[[], tuple[Any, Any, bool]]:
        def load() -> tuple[Any, Any, bool]:
            data = ldag.datasets.load(name)
            rows = np.repeat(data.codes.T, data.whole_weights, axis=0)
            own = data.names.index(target)
            return np.delete(rows, own, axis=1), rows[:, own], False

        return load

    return {
        "breast cancer": measured(sklearn_tables.load_breast_cancer),
        "wine": measured(sklearn_tables.load_wine),
        "iris": measured(sklearn_tables.load_iris),
        "heart": counted("heart", "pressure"),
        "titanic": counted("titanic", "survived"),
    }


def parts(rows: Any, classes: Any, is_measured: bool) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Go through the outer folds: features and classes to learn from, and to predict."""
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=1).split(rows, classes):
        learned, new = rows[train], rows[test]
        if is_measured:
            bins = KBinsDiscretizer(N_BINS, encode="ordinal", strategy="quantile", quantile_method="linear")
            learned, new = bins.fit(learned).transform(learned), bins.transform(new)
        yield learned.astype(int), classes[train], new.astype(int), classes[test]


def measure(name: str, title: str, rows: Any, classes: Any, is_measured: bool) -> Result:
    """Learn and predict on every outer fold."""
    losses, right, cpu = [], [], 0.0
    for learned, of_learned, new, of_new in parts(rows, classes, is_measured):
        model = MODELS[title]()
        began = time.process_time()
        model.fit(learned, of_learned)
        cpu += time.process_time() - began
        shares = model.predict_proba(new)
        losses.append(log_loss(of_new, shares, labels=np.unique(classes)))
        right.append(float(np.mean(np.unique(classes)[shares.argmax(axis=1)] == of_new)))
    loss, accuracy = float(np.mean(losses)), float(np.mean(right))
    return Result(name, title, len(rows), rows.shape[1], round(loss, 4), round(accuracy, 4), round(cpu, 2))


def keep(result: Result) -> None:
    """Write a result to the table of results."""
    path = RESULTS / "classifier.csv"
    rows = list(csv.reader(path.open())) if path.exists() else [[field.name for field in fields(Result)]]
    own = [str(value) for value in astuple(result)]
    rows = [row for row in rows if row[:2] != own[:2]] + [own]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *sorted(rows[1:], key=lambda row: row[0])])


def main() -> None:
    """Measure what is asked for."""
    known = tables()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*", choices=list(known), default=list(known))
    parser.add_argument("--models", nargs="*", choices=list(MODELS), default=list(MODELS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'data':<14} {'model':<24} {'rows':>5} {'log-loss':>9} {'accuracy':>9} {'CPU s':>7}")
    for name in given.sets:
        rows, classes, is_measured = known[name]()
        for title in given.models:
            result = measure(name, title, rows, classes, is_measured)
            keep(result)
            numbers = f"{result.rows:>5} {result.log_loss:>9.3f} {result.accuracy:>9.3f} {result.cpu:>7.2f}"
            print(f"{name:<14} {title:<24} {numbers}", flush=True)


if __name__ == "__main__":
    main()
