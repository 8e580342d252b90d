"""
Tools that have imported what they need before they are asked to run.

`xdsl-opt` takes half a second to start and most RUN lines a tenth to run. In place of a tool, lit
gets a small client, which hands arguments, folder, environment and streams to a server that has
imported the tools once. The server forks for each request, and the client exits as the fork does.
"""

import atexit
import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from select import select
from typing import NoReturn

from vyre_dialect.testing import MOST_SECONDS
from vyre_dialect.universe import PASSES, TARGETS, VYRE_UNIVERSE

TOOLS = ("xdsl-opt", "filecheck")

CLIENT = f"""#!{sys.executable} -IS
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect(os.path.join(os.path.dirname(__file__), "socket"))
variables = [f"{{name}}={{value}}" for name, value in os.environ.items()]
request = [os.getcwd(), str(len(variables)), *variables, *sys.argv]
socket.send_fds(server, [b"-"], [0, 1, 2])
server.sendall("\\0".join(request).encode(errors="surrogateescape"))
server.shutdown(socket.SHUT_WR)
sys.exit(int(server.recv(8) or b"1"))
"""
"""Without `site`, which finds what is installed, Python starts in a hundredth of a second."""


def start() -> Path:
    """Start a server; returns the folder of its clients, which are named as the tools are."""
    folder = Path(tempfile.mkdtemp(prefix="vyre-tools-"))
    for tool in TOOLS:
        client = folder / tool
        client.write_text(CLIENT)
        client.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        listener.listen()
        command = [sys.executable, __file__, str(listener.fileno())]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[listener.fileno()])
    atexit.register(server.communicate)  # which ends its standard input, and so the server
    return folder


def serve(listener: socket.socket) -> None:
    """Run a tool for each client, until standard input ends."""
    tools = _load_tools()
    gc.freeze()  # a collection in a fork would copy what is shared
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that answer
    while listener in select([listener, sys.stdin], [], [])[0]:
        client, _ = listener.accept()
        if os.fork() == 0:
            _answer(client, tools)
        client.close()
    shutil.rmtree(Path(listener.getsockname()).parent)


def _load_tools() -> dict[str, Callable[[], object]]:
    """The main functions of the tools, with all of vyre that a RUN line may ask for."""
    scripts = entry_points(group="console_scripts")
    tools = {tool: scripts[tool].load() for tool in TOOLS}
    for load in (*VYRE_UNIVERSE.all_dialects.values(), *PASSES.values(), *TARGETS.values()):
        load()
    return tools


def _answer(client: socket.socket, tools: dict[str, Callable[[], object]]) -> NoReturn:
    """Run what the client asks for in one more fork, and tell the client how that ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, streams, _, _ = socket.recv_fds(client, 1, 3)
    parts = iter(lambda: client.recv(1 << 16), b"")
    folder, variables, *rest = os.fsdecode(b"".join(parts)).split("\0")
    process = os.fork()
    if process == 0:
        _take_over(streams, folder, rest[: int(variables)])
        sys.argv = rest[int(variables) :]
        sys.exit(tools[Path(sys.argv[0]).name]())  # pyright: ignore[reportArgumentType]
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(process, 0)
    client.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _take_over(streams: list[int], folder: str, variables: list[str]) -> None:
    """Be as the client is."""
    signal.alarm(MOST_SECONDS)  # lit can only end the client
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, max(streams) + 1)
    sys.stdin, sys.stdout = open(0), open(1, "w")
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace")
    os.chdir(folder)
    os.environ.clear()
    for variable in variables:
        name, _, value = variable.partition("=")
        os.environ[name] = value


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
