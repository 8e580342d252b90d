"""The first program: built, run, explained, and what it becomes."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="The first program")


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    # The first program

    A program declares buffers, then decodes and scans them in order. This one decodes hex digits
    and counts a word in what comes out. Change the word or the text, and everything below follows.
    """)
    return


@app.cell
def _():
    import marimo as mo
    import numpy as np
    from xdsl.dialects.builtin import i8, i32

    import vyre
    from vyre_dialect.ops.decode import HexOp
    from vyre_dialect.ops.literals import LiteralOp

    return HexOp, LiteralOp, i32, i8, mo, np, vyre


@app.cell
def _(mo):
    word = mo.ui.text("word", label="count")
    text = mo.ui.text("a word in words: swordfish", label="in", full_width=True)
    mo.vstack([word, text])
    return text, word


@app.cell
def _(HexOp, LiteralOp, i32, i8, vyre, word):
    with vyre.program("words") as words:
        digits = words.buffer("digits", i8, access=vyre.Access.READ_ONLY)
        half = digits.length // 2
        plain = words.buffer("text", i8, half, initial=vyre.Initial.UNDEFINED)
        errors = words.buffer("errors", i32, 1, fill=-1)
        count = words.buffer("count", i32, 1, live_out=True)
        HexOp(digits, plain, errors)
        LiteralOp(word.value.encode() or b"word", plain, count)
    words
    return (words,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## It runs

    The interpreter says what a program means, and needs no device.
    """)
    return


@app.cell
def _(np, text, vyre, words):
    encoded = np.frombuffer(text.value.encode().hex().encode(), np.uint8)
    run = vyre.run(words, {"digits": encoded}, device="reference")
    run
    return (encoded,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## The verdict

    `@text` is handed from the decoder to the scanner. isl proves that both can share a tile of it,
    close to those who compute, so that it never goes through global memory.
    """)
    return


@app.cell
def _(vyre, words):
    vyre.explain(words)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## What it becomes

    A pass at a time, from `xdsl-opt` or from here: `vyre-expand` makes an arm of each op. Then the
    kernels, as OpenCL C for any device.
    """)
    return


@app.cell
def _(words):
    from xdsl.dialects.builtin import ModuleOp

    from vyre_dialect.ir.html import fragment, highlighted
    from vyre_dialect.runtime.program.compilation import (
        apply_pipeline,
        compile_module,
        make_context,
    )

    module = words.module.clone()
    assert isinstance(module, ModuleOp)
    apply_pipeline(module, "vyre-expand", make_context())
    return compile_module, fragment, highlighted, module


@app.cell
def _(fragment, highlighted, mo, module):
    arms = mo.Html(fragment(highlighted(str(module))))
    mo.accordion({"an arm of each op": arms})
    return


@app.cell
def _(compile_module, mo, words):
    kernels = compile_module(words.module).source
    mo.accordion({"the kernels": mo.md(f"```c\n{kernels}\n```")})
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## On a device

    Where there is one, its clock says when each kernel ran.
    """)
    return


@app.cell
def _(encoded, mo, np, vyre, words):
    try:
        timed = vyre.run(words, {"digits": np.tile(encoded, 10000)})
    except vyre.VyreError as error:
        timed = mo.md(f"No device: {error}")
    timed
    return


if __name__ == "__main__":
    app.run()
