"""Columns: a query over packed integers, in one kernel."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="Columns")


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    # Columns

    Analytics read columns that are packed: days in 12 bits, say. To decode them first moves every
    value through memory twice. Here decoders are ops, a query is an op, and fusion proves that they
    can share registers.
    """)
    return


@app.cell
def _():
    import marimo as mo
    import numpy as np
    from xdsl.dialects.builtin import i8, i32, i64

    import vyre
    from vyre_dialect.builder import aggregate
    from vyre_dialect.ops.packed import BitUnpackOp

    return BitUnpackOp, aggregate, i32, i64, i8, mo, np, vyre


@app.cell
def _(mo):
    bits = mo.ui.slider(9, 16, value=12, label="bits of a day", show_value=True)
    since = mo.ui.slider(0, 400, value=100, label="from day", show_value=True)
    mo.vstack([bits, since])
    return bits, since


@app.cell
def _(BitUnpackOp, aggregate, bits, i32, i64, i8, since, vyre):
    with vyre.program("sales") as sales:
        packed = sales.buffer("packed", i8, access=vyre.Access.READ_ONLY)
        price = sales.buffer("price", i32, access=vyre.Access.READ_ONLY)
        day = sales.buffer("day", i32, initial=vyre.Initial.UNDEFINED)
        BitUnpackOp(packed, day, bits.value)
        revenue = sales.buffer("revenue", i64, 1, live_out=True)
        rows = sales.buffer("rows", i64, 1, live_out=True)
        with aggregate(day, price) as query:
            on, cents = query.row
            query.where(on >= since.value)
            query.sum(cents.to(i64, signed=True), into=revenue)
            query.count(into=rows)
    sales
    return (sales,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Data, packed

    The values of a column lie one after the other, low bits first, as Parquet has them.
    """)
    return


@app.cell
def _(bits, np):
    random = np.random.default_rng(1)
    days = random.integers(0, 500, 3000)
    prices = random.integers(1, 10000, days.size).astype(np.int32)
    columns = {
        "packed": np.packbits(days[:, None] >> np.arange(bits.value) & 1, bitorder="little"),
        "price": prices,
    }
    return columns, days, prices


@app.cell
def _(columns, sales, vyre):
    sold = vyre.run(sales, columns, device="reference")
    sold
    return (sold,)


@app.cell(hide_code=True)
def _(days, mo, prices, since, sold):
    expected = int(prices[days >= since.value].sum())
    agrees = expected == int(sold.outputs["revenue"][0])
    mo.md(f"NumPy adds up **{expected}**: {'the same' if agrees else 'something else'}.")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## What is proven

    Each invocation decodes the days that it asks about, and no other reads them.
    """)
    return


@app.cell
def _(sales, vyre):
    vyre.explain(sales)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## On a device
    """)
    return


@app.cell
def _(columns, mo, sales, vyre):
    try:
        timed = vyre.run(sales, columns)
    except vyre.VyreError as error:
        timed = mo.md(f"No device: {error}")
    timed
    return


if __name__ == "__main__":
    app.run()
