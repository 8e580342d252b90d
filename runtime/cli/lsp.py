"""`vyre lsp`: a language server for MLIR, which an editor starts and speaks to."""

from __future__ import annotations

import argparse
import logging
import os
import sys

from vyre_dialect.runtime.cli.arguments import Subparsers
from vyre_dialect.runtime.errors import UsageError, VyreError


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "lsp",
        help="serve an editor: errors, documentation, definitions and completion",
        description=__doc__,
        allow_abbrev=False,
    )
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """
    Serve standard input until it ends. Raises a UsageError without the extra `lsp`, and a VyreError
    for what is no message of the protocol.
    """
    del arguments
    try:
        from vyre_dialect.runtime.lsp.server import make_server
    except ModuleNotFoundError as error:
        raise UsageError(
            f"editors need {error.name}, which is not installed: pip install 'vyre[lsp]'"
        ) from error
    from vyre_dialect.runtime.opencl.kernel_cache import vyre_version

    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # of messages that are none: tracebacks
    # The server closes where it writes to, which Python is to flush when it ends.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        try:
            make_server(vyre_version()).start_io(stdout=answers)
        except (ValueError, OverflowError) as error:
            raise VyreError(f"what the editor sends is no message: {error}") from error
    return 0
