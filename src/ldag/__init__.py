"""Discrete Bayesian networks that know when an edge matters."""

__version__ = "0.1.0"
