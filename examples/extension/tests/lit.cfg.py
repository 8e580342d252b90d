"""Where lit finds the tests."""

from vyre_dialect.testing import configure

configure(config, __file__)  # noqa: F821  # pyright: ignore
