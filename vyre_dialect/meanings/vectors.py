"""What the ops of `vector` mean, and those of vyre that compute values, numbers or lanes."""

from __future__ import annotations

from xdsl.dialects import vector

from vyre_dialect.ir.meaning import Meanings
from vyre_dialect.meanings.homes import HOMES, SAME
from vyre_dialect.ops.lanes import (
    CompareFloatLanesOp,
    CompareLanesOp,
    ConvertLanesOp,
    LookUpLanesOp,
    SelectLanesOp,
)
from vyre_dialect.ops.words import PermuteBytesOp

OPS = Meanings(HOMES)
row = OPS.row

# Of `vector`.

row(
    vector.BroadcastOp,
    range="same_number",
    numpy="vector:broadcast",
    expression="vectors:broadcast",
    lanes="broadcast",
    drift="same_number",
    text_gpu_mlir="arithmetic:same",
)
row(
    vector.ExtractOp,
    range="same_number",
    numpy="vector:extract",
    expression="vectors:extract",
    lanes="extract",
    bytes="lane",
    text_gpu_mlir="vectors:extract",
)
row(
    vector.InsertOp,
    range="insert",
    numpy="vector:insert",
    expression="vectors:insert",
    lanes="insert",
    text_gpu_mlir="vectors:insert",
)
row(
    vector.ShuffleOp,
    range="shuffle",
    numpy="vector:shuffle",
    expression="vectors:shuffle",
    lanes="shuffle",
    bytes="shuffled",
    text_gpu_mlir="vectors:shuffle",
)
row(
    vector.BitcastOp,
    numpy="vector:bitcast",
    expression="floats:bitcast",
    lanes="bitcast_lanes",
    text_gpu_mlir="arithmetic:same",
)
row(
    vector.CreateMaskOp,
    numpy="vector:create_mask",
    expression="vectors:create_mask",
    text_gpu_mlir="arithmetic:same",
)
row(
    vector.FMAOp,
    numpy="vector:multiply_and_add",
    expression="vectors:multiply_and_add",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    vector.ReductionOp,
    range="reduction",
    numpy="vector:reduction",
    expression="vectors:reduction",
    lanes="reduction",
    text_gpu_mlir="vectors:reduction",
)

# Of vyre.

row(
    CompareLanesOp,
    numpy="lanes:compare",
    expression="lanes:compare",
    lanes=SAME,
    text_gpu_mlir="vectors:compare",
)
row(
    CompareFloatLanesOp,
    numpy="lanes:compare_floats",
    expression="lanes:compare_floats",
    lanes=SAME,
    text_gpu_mlir="vectors:compare_floats",
)
row(
    SelectLanesOp,
    range="select",
    numpy="lanes:select",
    expression="lanes:select",
    lanes=SAME,
    text_gpu_mlir="vectors:select",
)
row(
    ConvertLanesOp,
    range="convert_lanes",
    numpy="lanes:convert",
    expression="lanes:convert",
    lanes="convert_lanes",
    text_gpu_mlir="vectors:convert",
)
row(
    LookUpLanesOp,
    range="look_up_lanes",
    numpy="lanes:look_up",
    expression="lanes:look_up",
    text_gpu_mlir="vectors:look_up",
)
row(
    PermuteBytesOp,
    numpy="words:permute_bytes",
    expression="words:permute_bytes",
    lanes=SAME,
    bytes="permuted",
    text_gpu_mlir="vectors:permute_bytes",
)
