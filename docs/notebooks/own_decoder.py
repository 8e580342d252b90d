"""A decoder of your own: an op, what it becomes, and that it fuses."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="A decoder of your own")


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    # A decoder of your own

    A decoder is an op that says what it takes and how much comes out, and a pattern that makes an
    arm of it. Nothing else has to be said for it to run, to be compiled and to be fused.

    This one decodes **Gray code**, in which neighbours differ by one bit.
    """)
    return


@app.cell
def _():
    import marimo as mo
    import numpy as np
    from xdsl.builder import ImplicitBuilder
    from xdsl.dialects.builtin import i8, i32
    from xdsl.irdl import irdl_op_definition, operand_def, traits_def
    from xdsl.pattern_rewriter import RewritePattern, op_type_rewrite_pattern
    from xdsl.traits import HasParent

    import vyre
    from vyre_dialect.builder import Buffer, arm
    from vyre_dialect.ir.types import BufferType
    from vyre_dialect.ops.library import DecodeOp
    from vyre_dialect.ops.literals import LiteralOp
    from vyre_dialect.ops.program import ProgramOp
    from vyre_dialect.passes.expansions.destination import size_destination

    return (
        Buffer,
        BufferType,
        DecodeOp,
        HasParent,
        ImplicitBuilder,
        LiteralOp,
        ProgramOp,
        RewritePattern,
        arm,
        i32,
        i8,
        irdl_op_definition,
        mo,
        np,
        op_type_rewrite_pattern,
        operand_def,
        size_destination,
        traits_def,
        vyre,
    )


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## The op

    `decoded_lengths` says how many elements come out, and `verify_buffers` checks their types.
    """)
    return


@app.cell
def _(BufferType, DecodeOp, HasParent, ProgramOp, i8, irdl_op_definition, operand_def, traits_def):
    @irdl_op_definition
    class GrayOp(DecodeOp):
        """Decodes bytes in Gray code, of which neighbours differ by one bit."""

        name = "mine.decode.gray"

        source = operand_def(BufferType)
        destination = operand_def(BufferType)

        traits = traits_def(HasParent(ProgramOp))
        assembly_format = (
            "$source `to` $destination attr-dict `:` type($source) `,` type($destination)"
        )

        def __init__(self, source, destination):
            super().__init__(operands=[source, destination])

        def decoded_lengths(self, length):
            return (length,)

        def verify_(self):
            self.verify_buffers([i8], i8)

        @classmethod
        def get_expansion_patterns(cls):
            return (patterns["gray"],)

    patterns = {}
    return GrayOp, patterns


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## What it becomes

    An arm with an invocation for each byte. A bit is the xor of all the higher bits of its code.
    """)
    return


@app.cell
def _(
    Buffer,
    GrayOp,
    ImplicitBuilder,
    RewritePattern,
    arm,
    op_type_rewrite_pattern,
    patterns,
    size_destination,
):
    class ExpandGray(RewritePattern):
        """An invocation for each byte."""

        @op_type_rewrite_pattern
        def match_and_rewrite(self, op: GrayOp, rewriter, /):
            source, destination = Buffer(op.source), Buffer(op.destination)
            size_destination(op, rewriter, lambda: source.length)
            with ImplicitBuilder(rewriter), arm("decode.gray", source.length) as i:
                code = source[i]
                code = code ^ code >> 4
                code = code ^ code >> 2
                destination[i] = code ^ code >> 1
            rewriter.erase(op)

    patterns["gray"] = ExpandGray()
    is_known = True
    return (is_known,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## With a scanner of the library
    """)
    return


@app.cell
def _(GrayOp, LiteralOp, i32, i8, is_known, vyre):
    assert is_known
    with vyre.program("gray_words") as program:
        encoded = program.buffer("encoded", i8, access=vyre.Access.READ_ONLY)
        decoded = program.buffer("decoded", i8, encoded.length, initial=vyre.Initial.UNDEFINED)
        count = program.buffer("count", i32, 1, live_out=True)
        GrayOp(encoded, decoded)
        LiteralOp(b"gray", decoded, count)
    program
    return (program,)


@app.cell
def _(np, program, vyre):
    plain = np.frombuffer(b"gray bytes, encoded in gray code by Frank Gray", np.uint8)
    found = vyre.run(program, {"encoded": plain ^ plain >> 1}, device="reference")
    found
    return (found,)


@app.cell(hide_code=True)
def _(found, mo):
    mo.md(f"""
    It found **{found.outputs["count"][0]}**. Do the two share a tile?
    """)
    return


@app.cell
def _(program, vyre):
    verdict = vyre.explain(program)
    verdict
    return (verdict,)


@app.cell(hide_code=True)
def _(mo, verdict):
    mo.md(
        "They fuse, though the scanner reads what other invocations decode: those are run again."
        if verdict.plans
        else "They do not fuse, for the reason above."
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    To share it, put both in a package: `examples/extension/` is one to copy.
    """)
    return


if __name__ == "__main__":
    app.run()
