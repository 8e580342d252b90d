"""What the ops on the lanes of vectors mean, of `vector` and of vyre."""

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
)
row(
    vector.ExtractOp,
    range="same_number",
    numpy="vector:extract",
    expression="vectors:extract",
    lanes="extract",
)
row(
    vector.InsertOp,
    range="insert",
    numpy="vector:insert",
    expression="vectors:insert",
    lanes="insert",
)
row(
    vector.ShuffleOp,
    range="shuffle",
    numpy="vector:shuffle",
    expression="vectors:shuffle",
    lanes="shuffle",
)
row(vector.BitcastOp, numpy="vector:bitcast", expression="floats:bitcast", lanes="bitcast_lanes")
row(vector.CreateMaskOp, numpy="vector:create_mask", expression="vectors:create_mask")
row(
    vector.FMAOp, numpy="vector:multiply_and_add", expression="vectors:multiply_and_add", lanes=SAME
)
row(vector.ReductionOp, numpy="vector:reduction", expression="vectors:reduction", lanes="reduction")

# Of vyre.

row(CompareLanesOp, numpy="lanes:compare", expression="lanes:compare", lanes=SAME)
row(
    CompareFloatLanesOp,
    numpy="lanes:compare_floats",
    expression="lanes:compare_floats",
    lanes=SAME,
)
row(SelectLanesOp, range="select", numpy="lanes:select", expression="lanes:select", lanes=SAME)
row(
    ConvertLanesOp,
    range="convert_lanes",
    numpy="lanes:convert",
    expression="lanes:convert",
    lanes="convert_lanes",
)
row(LookUpLanesOp, numpy="lanes:look_up", expression="lanes:look_up")
row(PermuteBytesOp, numpy="words:permute_bytes", expression="words:permute_bytes", lanes=SAME)
