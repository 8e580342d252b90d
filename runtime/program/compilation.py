"""From a file of MLIR to kernels: reading, passes, OpenCL C."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import ArgSpec
from xdsl.utils.exceptions import DiagnosticException, ParseError

from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.runtime.errors import VyreError, first_line
from vyre_dialect.runtime.opencl.devices import DeviceInfo
from vyre_dialect.runtime.program.pipelines import default_pipeline, parse_pipeline
from vyre_dialect.runtime.program.programs import find_program
from vyre_dialect.runtime.program.source_locations import LocatingParser
from vyre_dialect.universe import TARGETS

_INT64_ATOMICS = {"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"}


@dataclass(frozen=True)
class CompiledProgram:
    """A program whose arms are kernels, and the text of these."""

    program: ProgramOp
    """The host plan: buffers, sizes, launches."""

    source: str
    """The kernels as OpenCL C."""

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.program.sym_name.data

    @property
    def kernels(self) -> dict[str, KernelOp]:
        """The kernels of the module, by name."""
        module = self.program.parent_op()
        assert isinstance(module, ModuleOp)
        kernels = (op for op in module.body.block.ops if isinstance(op, KernelOp))
        return {kernel.sym_name.data: kernel for kernel in kernels}


def make_context() -> Context:
    """A context that knows every dialect that is installed."""
    from xdsl.universe import Universe

    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    return context


def load_module(path: Path, context: Context) -> ModuleOp:
    """The verified module in the file `path`. Raises a VyreError for a file that holds none."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise VyreError(f"cannot read '{path}': {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise VyreError(f"cannot read '{path}': it is no text ({error.reason})") from error
    return parse_module(text, context, str(path))


def parse_module(text: str, context: Context, name: str = "<text>") -> ModuleOp:
    """The verified module that `text` holds; `name` stands for it in messages and locations."""
    with one_line_errors(name):
        module = LocatingParser(context, text, name).parse_module()
        module.verify()
    return module


def apply_pipeline(module: ModuleOp, pipeline: str, context: Context) -> None:
    """Run the passes that `pipeline` names over `module`, in place."""
    passes = parse_pipeline(pipeline)
    for module_pass in passes.passes:
        with one_line_errors(f"pass '{module_pass.name}'"):
            module_pass.apply(context, module)
    with one_line_errors(f"after '{pipeline}'"):
        module.verify()


def emit_opencl(module: ModuleOp, context: Context, extensions: Iterable[str] = ()) -> str:
    """The kernels of `module` as OpenCL C for a device with `extensions`."""
    atomics = _INT64_ATOMICS <= frozenset(extensions)
    options = ArgSpec("vyre-opencl", {"int64_atomics": (atomics,)})
    target = TARGETS[options.name]().from_spec(options)
    output = StringIO()
    with one_line_errors(f"target '{options.name}'"):
        target.emit(context, module, output)
    return output.getvalue()


def compile_module(
    module: ModuleOp,
    *,
    pipeline: str | None = None,
    context: Context | None = None,
    device: DeviceInfo | None = None,
) -> CompiledProgram:
    """Compile the program of `module` for `device`, or for any device of OpenCL 1.2.

    The module is left as it is. `pipeline` replaces the standard one. Raises a VyreError where a
    pass or the target refuses the program, and a UsageError for a pipeline that makes no sense.
    """
    context = context or make_context()
    lowered = module.clone()
    if pipeline is None:
        pipeline = default_pipeline(device and device.local_mem_bytes)
    apply_pipeline(lowered, pipeline, context)
    source = emit_opencl(lowered, context, () if device is None else device.extensions)
    return CompiledProgram(find_program(lowered), source)


@contextmanager
def one_line_errors(place: str) -> Generator[None]:
    """Turn what xDSL raises about a user's input into one line that says where."""
    try:
        yield
    except ParseError as error:
        message = " ".join(error.msg.split())
        raise VyreError(f"{error.span.get_location()}: {message}") from error
    except DiagnosticException as error:
        message = first_line(error)
        name = place.partition(" ")[2]
        # Many passes name themselves.
        named = bool(name) and message.startswith(name)
        raise VyreError(message if named else f"{place}: {message}") from error
    except RecursionError as error:
        raise VyreError(f"{place}: ops are nested too deeply") from error
