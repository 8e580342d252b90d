"""Fixtures for the tests of the runtime."""

import pytest

from vyre_dialect.runtime import cache_folder


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let warnings that come once per process come once per test."""
    monkeypatch.setattr(cache_folder, "_told", set[str]())
