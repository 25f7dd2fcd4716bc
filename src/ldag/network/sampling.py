"""Drawing from a network: rows from its distribution, and networks from its posterior."""

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_generator, check_seed, check_whole
from ldag.data import Backend, Codes, Dataset, make_frame, state_columns
from ldag.formats import Context
from ldag.inference import sample_rows
from ldag.network.findings import Findings
from ldag.network.questions import Questions

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


class NetworkSampling(Questions):
    """Random rows and random parameters."""

    def sample(self, n: int, rng: Rng = None, *, given: Findings | None = None, do: Context | None = None) -> Dataset:
        """Draw a data set; equal rows are merged, as in every data set.

        Parameters
        ----------
        n
            How many rows.
        rng
            Seed, or a numpy Generator; None is 0. More rows with the same seed begin with the same ones.
        given, do
            Draw from the distribution given what is known, or with variables set from outside, as in `query`.

        Examples
        --------
        >>> import ldag
        >>> heart = ldag.datasets.load("heart")
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), heart)
        >>> net.sample(1000, rng=1).total
        1000
        >>> set(net.sample_columns(100, given={"pressure": ">140"})["pressure"].tolist())
        {'>140'}
        """
        return Dataset.from_codes(self.ldag.schema, self._draw(n, rng, given, do))

    def sample_frame(
        self,
        n: int,
        rng: Rng = None,
        backend: Backend = "pandas",
        *,
        given: Findings | None = None,
        do: Context | None = None,
    ) -> "IntoDataFrame":
        """Draw a dataframe with one row per draw, in the order drawn; the same rows as in `sample`."""
        return make_frame(self.sample_columns(n, rng, given=given, do=do), backend)

    def sample_columns(
        self, n: int, rng: Rng = None, *, given: Findings | None = None, do: Context | None = None
    ) -> dict[str, NDArray[np.generic]]:
        """Draw the same rows as numpy arrays of states, one per variable."""
        return state_columns(self.ldag.schema, self._draw(n, rng, given, do))

    def sample_parameters(self, n: int, rng: Rng = None) -> list[Self]:
        """Draw networks from the posterior of the parameters: how far answers scatter is how sure they are.

        The networks have the drawn probabilities and no posterior of their own.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> drawn = [other.parameters("family")[0][1] for other in net.sample_parameters(200, rng=1)]
        >>> mean = sum(drawn) / len(drawn)
        >>> abs(mean - net.parameters("family")[0][1]) < 0.005
        True
        """
        posteriors = self._posterior("sample_parameters").posteriors
        generator = check_generator(rng)
        return [
            type(self)(self.ldag, tuple(posterior.draw(generator) for posterior in posteriors))
            for _ in range(check_whole(n, "n"))
        ]

    def _draw(self, n: int, rng: Rng, given: Findings | None, do: Context | None) -> Codes:
        check_whole(n, "n")
        seed = check_seed(rng)
        if not given and not do:
            return sample_rows(self.ldag.structure, self.probabilities, n, seed)
        asked = self._asked(given, do)
        self._warn_of_directions(asked.done)
        with self._explained():
            rows = asked.engine.sums.draw(asked.evidence, n, seed, asked.memory_limit)
        self._check_possible(0.0 if len(rows) else -np.inf, asked)
        return np.ascontiguousarray(rows.T, dtype=np.uint8)
