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
    bytes="constant",
    text_gpu_mlir="arithmetic:kept(value)",
)
row(
    arith.SelectOp,
    numpy="arith:select",
    expression="arithmetic:select",
    range="select",
    divisor="select",
    affine="select",
    lanes="select",
    drift="select",
    text_gpu_mlir="arithmetic:same",
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
    drift="addi",
    bytes="joined",
    text_gpu_mlir="arithmetic:same",
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
    drift="subi",
    text_gpu_mlir="arithmetic:same",
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
    drift="muli",
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.AddUIExtendedOp,
    numpy="arith:addui_extended",
    statement="extended:add_extended",
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.MulUIExtendedOp,
    numpy="arith:mului_extended",
    statement="extended:multiply_extended",
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.MulSIExtendedOp,
    numpy="arith:mulsi_extended",
    statement="extended:multiply_extended",
    text_gpu_mlir="arithmetic:same",
)

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
    drift="quotient",
    text_gpu_mlir="arithmetic:divide",
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
    drift="quotient",
    text_gpu_mlir="arithmetic:divide_signed",
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
    drift="floor",
    text_gpu_mlir="arithmetic:divide_signed",
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
    text_gpu_mlir="arithmetic:divide",
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
    drift="ceil",
    text_gpu_mlir="arithmetic:divide_signed",
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
    drift="remainder",
    text_gpu_mlir="arithmetic:divide",
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
    drift="remainder",
    text_gpu_mlir="arithmetic:divide_signed",
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
    drift="mask",
    bytes="masked",
    text_gpu_mlir="arithmetic:same",
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
    bytes="joined",
    text_gpu_mlir="arithmetic:same",
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
    bytes="joined",
    text_gpu_mlir="arithmetic:same",
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
    drift="shli",
    bytes="shifted",
    text_gpu_mlir="arithmetic:shift",
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
    drift="shift_right",
    bytes="shifted",
    text_gpu_mlir="arithmetic:shift",
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
    drift="shift_right",
    text_gpu_mlir="arithmetic:shift_signed",
)

# Minimum and maximum.

row(
    arith.MinUIOp,
    numpy="arith:unsigned(minimum)",
    expression="arithmetic:extremum(min, unsigned)",
    range="minui",
    divisor="common",
    linear="unsigned_minimum",
    affine="minui",
    lanes=SAME,
    drift="extremum",
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.MaxUIOp,
    numpy="arith:unsigned(maximum)",
    expression="arithmetic:extremum(max, unsigned)",
    range="maxui",
    divisor="common",
    linear="unsigned_maximum",
    affine="maxui",
    lanes=SAME,
    drift="extremum",
    text_gpu_mlir="arithmetic:same",
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
    drift="extremum",
    text_gpu_mlir="arithmetic:same",
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
    drift="extremum",
    text_gpu_mlir="arithmetic:same",
)

# Comparisons and conversions.

row(
    arith.CmpiOp,
    numpy="arith:cmpi",
    expression="arithmetic:cmpi",
    condition="cmpi",
    lanes="cmpi",
    drift="cmpi",
    text_gpu_mlir="arithmetic:kept(predicate)",
)
row(
    arith.ExtUIOp,
    numpy="arith:extend_unsigned",
    expression="arithmetic:extui",
    range="same_number",
    divisor="same_low_bits",
    affine="extui",
    lanes="convert",
    bytes="extended",
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.ExtSIOp,
    numpy="arith:extend_signed",
    expression="arithmetic:extsi",
    range="extsi",
    divisor="same_low_bits",
    affine="extsi",
    lanes="convert",
    text_gpu_mlir="arithmetic:same",
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
    drift="cast",
    text_gpu_mlir="arithmetic:same",
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
    drift="cast",
    text_gpu_mlir="arithmetic:same",
)
