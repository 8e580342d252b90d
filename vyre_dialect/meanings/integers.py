"""What the ops of `arith` on integers and indices mean."""

from __future__ import annotations

from xdsl.dialects import arith

from vyre_dialect.ir.meaning import Meanings
from vyre_dialect.meanings.homes import HOMES, SAME

OPS = Meanings(HOMES)
row = OPS.row

# Constants and choices.

row(
    arith.ConstantOp,
    numpy="arith:constant",
    statement="constants:constant",
    range="constant",
    divisor="constant",
    affine="constant",
    condition="constant_condition",
)
row(
    arith.SelectOp,
    numpy="arith:select",
    expression="arithmetic:select",
    range="select",
    divisor="select",
    affine="select",
    lanes="select",
)

# Sums and products.

row(
    arith.AddiOp,
    numpy="arith:unsigned(add)",
    expression="arithmetic:addi",
    range="addi",
    divisor="common",
    linear="addi",
    affine="addi",
    lanes=SAME,
)
row(
    arith.SubiOp,
    numpy="arith:unsigned(subtract)",
    expression="arithmetic:subi",
    range="subi",
    divisor="common",
    linear="subi",
    affine="subi",
    lanes=SAME,
)
row(
    arith.MuliOp,
    numpy="arith:unsigned(multiply)",
    expression="arithmetic:muli",
    range="muli",
    divisor="muli",
    linear="muli",
    affine="muli",
    lanes=SAME,
)
row(arith.AddUIExtendedOp, numpy="arith:addui_extended", statement="extended:add_extended")
row(arith.MulUIExtendedOp, numpy="arith:mului_extended", statement="extended:multiply_extended")
row(arith.MulSIExtendedOp, numpy="arith:mulsi_extended", statement="extended:multiply_extended")

# Quotients and remainders.

row(
    arith.DivUIOp,
    numpy="arith:unsigned(floor_divide)",
    expression="division:divide(divui, /)",
    range="divui",
    divisor="quotient",
    linear="quotient",
    affine="divui",
    lanes=SAME,
)
row(
    arith.DivSIOp,
    numpy="arith:divsi",
    expression="division:divide(divsi, /)",
    range="divsi",
    divisor="quotient",
    linear="quotient",
    affine="divsi",
    lanes=SAME,
)
row(
    arith.FloorDivSIOp,
    numpy="arith:floordivsi",
    expression="division:divide(floordivsi)",
    range="floordivsi",
    divisor="quotient",
    linear="quotient",
    affine="floordivsi",
    lanes=SAME,
)
row(
    arith.CeilDivUIOp,
    numpy="arith:ceildivui",
    expression="division:divide(ceildivui)",
    range="ceildivui",
    divisor="quotient",
    linear="quotient_rounded_up",
    affine="ceildivui",
    lanes=SAME,
)
row(
    arith.CeilDivSIOp,
    numpy="arith:ceildivsi",
    expression="division:divide(ceildivsi)",
    range="ceildivsi",
    divisor="quotient",
    linear="quotient_rounded_up",
    affine="ceildivsi",
    lanes=SAME,
)
row(
    arith.RemUIOp,
    numpy="arith:unsigned(remainder)",
    expression="division:divide(remui, %)",
    range="remui",
    divisor="remainder",
    linear="remainder",
    affine="remui",
    lanes=SAME,
)
row(
    arith.RemSIOp,
    numpy="arith:remsi",
    expression="division:divide(remsi, %)",
    range="remsi",
    divisor="remainder",
    linear="remainder",
    affine="remsi",
    lanes=SAME,
)

# Bits.

row(
    arith.AndIOp,
    numpy="machine:ufunc(bitwise_and)",
    expression="arithmetic:bitwise_and",
    range="andi",
    divisor="andi",
    linear="mask",
    affine="andi",
    condition="connective",
    lanes=SAME,
)
row(
    arith.OrIOp,
    numpy="machine:ufunc(bitwise_or)",
    expression="arithmetic:bitwise_or",
    range="ori",
    divisor="common",
    affine="ori",
    condition="connective",
    lanes=SAME,
)
row(
    arith.XOrIOp,
    numpy="machine:ufunc(bitwise_xor)",
    expression="arithmetic:bitwise_xor",
    range="ori",
    divisor="common",
    affine="xori",
    condition="connective",
    lanes=SAME,
)
row(
    arith.ShLIOp,
    numpy="arith:unsigned(left_shift)",
    expression="shifts:shift",
    range="shli",
    divisor="shift_left",
    linear="shli",
    affine="shli",
    lanes=SAME,
)
row(
    arith.ShRUIOp,
    numpy="arith:unsigned(right_shift)",
    expression="shifts:shift",
    range="shrui",
    divisor="shift_right",
    linear="shift_right",
    affine="shrui",
    lanes=SAME,
)
row(
    arith.ShRSIOp,
    numpy="arith:signed(right_shift)",
    expression="shifts:shift",
    range="shrsi",
    divisor="shift_right",
    linear="shift_right",
    affine="shrsi",
    lanes=SAME,
)

# Minimum and maximum.

row(
    arith.MinUIOp,
    numpy="arith:unsigned(minimum)",
    expression="arithmetic:extremum(min, unsigned)",
    range="minui",
    divisor="common",
    affine="minui",
    lanes=SAME,
)
row(
    arith.MaxUIOp,
    numpy="arith:unsigned(maximum)",
    expression="arithmetic:extremum(max, unsigned)",
    range="maxui",
    divisor="common",
    affine="maxui",
    lanes=SAME,
)
row(
    arith.MinSIOp,
    numpy="arith:signed(minimum)",
    expression="arithmetic:extremum(min, signed)",
    range="minsi",
    divisor="common",
    linear="minimum",
    affine="minsi",
    lanes=SAME,
)
row(
    arith.MaxSIOp,
    numpy="arith:signed(maximum)",
    expression="arithmetic:extremum(max, signed)",
    range="maxsi",
    divisor="common",
    linear="maximum",
    affine="maxsi",
    lanes=SAME,
)

# Comparisons and conversions.

row(arith.CmpiOp, numpy="arith:cmpi", expression="arithmetic:cmpi", condition="cmpi", lanes="cmpi")
row(
    arith.ExtUIOp,
    numpy="arith:extend_unsigned",
    expression="arithmetic:extui",
    range="same_number",
    divisor="same_low_bits",
    affine="extui",
    lanes="convert",
)
row(
    arith.ExtSIOp,
    numpy="arith:extend_signed",
    expression="arithmetic:extsi",
    range="extsi",
    divisor="same_low_bits",
    affine="extsi",
    lanes="convert",
)
row(
    arith.TruncIOp,
    numpy="arith:extend_signed",
    expression="arithmetic:trunci",
    range="same_number",
    divisor="same_low_bits",
    linear="same_number",
    affine="same",
    lanes="convert",
)
row(
    arith.IndexCastOp,
    numpy="arith:index_cast",
    expression="arithmetic:index_cast",
    range="index_cast",
    divisor="same_low_bits",
    linear="same_number",
    affine="extsi",
    lanes=SAME,
)
