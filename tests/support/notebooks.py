"""The notebooks of the manual, and how they are run."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from support.documents import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.py"))
WITHOUT = (
    "import runpy, sys; sys.modules['islpy'] = sys.modules['pyopencl'] = None; "
    "runpy.run_path(sys.argv[1], run_name='__main__')"
)
"""Runs a script where islpy and pyopencl cannot be imported."""
SLOWEST_START = 60
"""Seconds that a server may take to begin."""


def run_script(notebook: Path, *before: str) -> subprocess.CompletedProcess[str]:
    """Run every cell of a notebook, in the order of what they need; an error fails the script."""
    command = [sys.executable, *before, str(notebook)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@contextmanager
def served(notebook: Path, settings: Mapping[str, str]) -> Generator[str]:
    """A notebook as an app, with its code, at a URL of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "marimo", "-q", "run", "--include-code", "--headless"]
    command += ["--no-token", "--host", "127.0.0.1", "--port", str(port), str(notebook)]
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | dict(settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            _wait_for(f"{url}/health", server)
            yield url
        finally:
            server.terminate()


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + SLOWEST_START
    while time.monotonic() < end:
        assert server.poll() is None, "the server has ended"
        try:
            with urllib.request.urlopen(url):
                return
        except URLError:
            time.sleep(0.1)
    raise AssertionError(f"nothing answers at {url}")
