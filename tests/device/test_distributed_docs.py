"""The page on many machines: its commands start a cluster and use it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from distributed import Client
from support.devices import only_from_pip
from support.documents import ROOT, blocks_of, commands_of, prepare
from support.printed import same_but_for_machine

PAGE = ROOT / "docs" / "distributed.md"
SHOWN = "tcp://scheduler:8786"
VENV = Path(sys.prefix)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def started(command: str, folder: Path, settings: dict[str, str]) -> Generator[None]:
    """A process of Dask, for as long as this lasts."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}"],
        cwd=folder,
        env=settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


@pytest.mark.slow
@pytest.mark.device
def test_the_page_does_what_it_shows(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    prepare(tmp_path, PAGE, VENV)
    address = f"tcp://127.0.0.1:{(port := free_port())}"
    settings = os.environ | {
        "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        **only_from_pip(tmp_path_factory.mktemp("vendors")),
    }
    workers = 0
    with ExitStack() as processes:
        for command, shown in commands_of(PAGE):
            command = command.replace(SHOWN, address)
            if command.startswith("dask "):
                command = command.replace("--port 8786", f"--host 127.0.0.1 --port {port}")
                workers += command.startswith("dask worker")
                processes.enter_context(started(command, tmp_path, settings))
                continue
            wait_for(address, workers)
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", command],
                cwd=tmp_path,
                env=settings,
                capture_output=True,
                text=True,
                check=True,
            )
            assert not shown or same_but_for_machine("\n".join(shown), done.stdout), done
        (python,) = [text for language, text in blocks_of(PAGE) if language == "python"]
        done = subprocess.run(
            [sys.executable, "-c", python.replace(SHOWN, address)],
            cwd=tmp_path,
            env=settings | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "[300000]\n"


def wait_for(address: str, workers: int) -> None:
    with Client(address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=60)


def test_the_page_starts_a_cluster() -> None:
    dask = [command for command, _ in commands_of(PAGE) if command.startswith("dask ")]
    assert len(dask) == 3
