"""A table that Spark keeps: the cluster counts, and the data are those of pandas. Run by ``make test-spark``."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ldag

pyspark = pytest.importorskip("pyspark.sql", reason="needs pyspark and a Java runtime")


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """Start Spark with two threads."""
    started = pyspark.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = started.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    yield spark
    spark.stop()


def test_spark_counts_and_the_data_are_those_of_pandas(session: Any) -> None:
    """Texts, whole numbers, a measurement that is cut, and gaps."""
    rng = np.random.default_rng(1)
    smoker = [("no", "yes", None)[code] for code in rng.integers(0, 3, 300)]
    visits, bmi = rng.integers(0, 5, 300).tolist(), np.round(rng.normal(25, 4, 300), 1).tolist()
    frame = pd.DataFrame({"smoker": smoker, "visits": visits, "bmi": bmi})
    rows = list(zip(smoker, visits, bmi, strict=True))
    table = session.createDataFrame(rows, schema="smoker string, visits long, bmi double")
    for missing in ("drop", "state"):
        assert ldag.read(table, missing=missing) == ldag.read(frame, missing=missing)
    fit = ldag.learn(ldag.read(table, missing="state"), kappa=0.1, equivalent_sample_size=1)
    assert fit.score == ldag.learn(ldag.read(frame, missing="state"), kappa=0.1, equivalent_sample_size=1).score
