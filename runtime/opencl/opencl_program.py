"""Programs of OpenCL as pyopencl makes them: from source, and to binaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import pyopencl as cl


def unbuilt_program(context: cl.Context, source: str) -> cl.Program:
    """
    The program of `source`, for its `build`.

    Asked for anything before that, pyopencl leaves caching to others: its own cache saves the
    source of a failed build in a file and never removes it.
    """
    import pyopencl as cl

    program = cl.Program(context, source)
    program.get_info(cl.program_info.NUM_DEVICES)
    return program


def binary_of(program: cl.Program) -> bytes:
    """What the compiler made of a program that was built for one device."""
    import pyopencl as cl

    return cast("list[bytes]", program.get_info(cl.program_info.BINARIES))[0]
