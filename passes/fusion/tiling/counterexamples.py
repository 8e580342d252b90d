"""
Concrete dependences, as points of the sets that should have been empty: which invocation of
which tile touches which element, and who else does, for which sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.ir import Operation

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.analysis.isl import isl
from vyre_dialect.ir.types import Initial
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Stage, slope_of, slopes_of
from vyre_dialect.passes.fusion.tiling.refusal import (
    Counterexample,
    Reason,
    Refusal,
    TileShare,
    UnevenTiles,
)

SMALL = 1 << 12
"""Counterexamples are looked for below this size first: they are to be read and replayed."""
FEW = (4, 16, 64, SMALL)
"""Sizes below which two tiles are looked for that show how others follow."""


def unordered_read(
    analysis: ProgramAnalysis,
    stage: Stage,
    read: AccessRelation,
    left: isl.Map,
    missing: isl.Map,
    writes: list[AccessRelation],
) -> Refusal:
    """
    The refusal of a read of elements that the invocation (in `left`, `{ I[i, j, k] -> E[e] }`)
    and its tile (in `missing`, `{ T[w] -> E[e] }`) have not written before.
    """
    point = _sample(analysis, missing)
    tile, element = _coordinate(point, 0), _coordinate(point, 1)
    reader = _invocation(stage.runs, tile, left, element, point)
    assert reader is not None
    earlier, writer = _writer(writes, element, reader, point)
    writer_tile = None
    if writer is not None and stage.share.extent > 1:
        writer_tile = _a_tile(stage, writer, point)
    example = Counterexample(
        read.buffer.sym_name.data,
        element,
        reader,
        later_tile=None if stage.share.extent == 1 else tile,
        earlier=writer,
        earlier_tile=writer_tile,
        sizes=_sizes(analysis, point),
        certain=read.exact,
    )
    if writer not in (None, reader) and (stage.share.extent == 1 or writer_tile != tile):
        reason, detail = Reason.CROSS_WORKGROUP, "another workgroup writes what is read"
    elif writer not in (None, reader):
        reason, detail = (
            Reason.MISSING_BARRIER,
            "no barrier is proved to stand between a write and a read",
        )
    elif read.buffer.initial_contents == Initial.HOST:
        reason, detail = Reason.READS_INITIAL_CONTENTS, "an element is read before it is written"
    else:
        reason, detail = Reason.NOT_COVERED, "an element is not proved to be written before"
    return Refusal(reason, detail, cause=read.op, earlier=earlier, counterexample=example)


def _writer(
    writes: list[AccessRelation], element: int, reader: int, point: isl.Point
) -> tuple[Operation | None, int | None]:
    """An op that writes `element`, and an invocation that does, if possible not `reader`."""
    found: tuple[Operation | None, int | None] = None, None
    own = isl.Set.read_from_str(point.get_ctx(), f"{{ I[{reader}, 0, 0] }}")
    for write in writes:
        assert write.touched is not None
        writers = _preimage(write.touched, element, point)
        others = writers.subtract(own)
        if not others.is_empty():
            return write.op, _coordinate(others.sample_point(), 0)
        if not writers.is_empty():
            found = write.op, reader
    return found


def _sample(
    analysis: ProgramAnalysis, relation: isl.Map, limits: Iterable[int] = (SMALL,)
) -> isl.Point:
    """A pair of a non-empty relation, for sizes below the first limit that there is one for."""
    found = analysis.symbols.explained(relation).wrap()
    for limit in limits:
        small = found
        for position in range(found.dim(isl.dim_type.param)):
            small = small.upper_bound_val(
                isl.dim_type.param, position, isl.Val.int_from_si(found.get_ctx(), limit)
            )
        if not small.is_empty():
            return small.sample_point()
    return found.sample_point()


def scattered_writers(
    analysis: ProgramAnalysis, producer: ArmAccesses, footprints: Mapping[BufferOp, Interval]
) -> Refusal:
    """The refusal of a producer where no interval of invocations fills each tile."""
    handoff = next(iter(footprints))
    name, buffer = producer.arm.generator.data, handoff.sym_name.data
    slope = slope_of(producer.writes_to(handoff))
    if slope is None or not slope.per_invocation:
        steps = {each.per_invocation for each in slopes_of(producer.writes_to(handoff))}
        if steps == {0}:
            return Refusal(
                Reason.CROSS_WORKGROUP,
                f"where '{name}' writes '@{buffer}' does not depend on the invocation: give each "
                "element, or block of elements, an invocation of its own",
            )
        said = " and ".join(map(str, sorted(steps)))
        return Refusal(
            Reason.CROSS_WORKGROUP,
            f"the writes of '{name}' to '@{buffer}' do not move along with its invocations as one: "
            f"by {said or 'no'} elements each",
        )
    found = (uneven_tiles(analysis, producer, *each) for each in footprints.items())
    if (example := next((each for each in found if each is not None), None)) is None:
        return Refusal(
            Reason.CROSS_WORKGROUP,
            f"the invocations of '{name}' that write a tile of '@{buffer}' do not move along with "
            "the tiles",
        )
    return Refusal(
        Reason.CROSS_WORKGROUP,
        f"no constant number of invocations of '{name}' writes a tile of '@{example.buffer}'",
        counterexample=example,
    )


def uneven_tiles(
    analysis: ProgramAnalysis, producer: ArmAccesses, handoff: BufferOp, footprint: Interval
) -> UnevenTiles | None:
    """Two tiles whose writers lie more and less far apart, or None where there are no such two."""
    written = producer.touched(producer.writes_to(handoff)).reverse()
    runs = footprint.elements.apply_range(written)
    numbered = analysis.symbols.restricted(
        runs.apply_range(analysis.symbols.relation("{ I[i, j, k] -> [i] }"))
    ).intersect_domain(isl.Set.read_from_str(analysis.context, "{ T[w] : w >= 0 }"))
    if numbered.is_empty():
        return None
    narrow = _share(analysis, numbered, footprint, _sample(analysis, numbered, FEW))
    first, last = narrow.invocations
    apart = isl.Set.read_from_str(analysis.context, f"{{ [i, k] : k - i > {last - first} }}")
    wider = numbered.flat_range_product(numbered).intersect_range(apart)
    if wider.is_empty():
        return None
    wide = _share(analysis, numbered, footprint, _sample(analysis, wider, FEW))
    return UnevenTiles(handoff.sym_name.data, (narrow, wide))


def _share(
    analysis: ProgramAnalysis, writers: isl.Map, footprint: Interval, point: isl.Point
) -> TileShare:
    """What `writers`, `{ T[w] -> [i] }`, and `footprint` are for the tile and sizes of a point."""
    tile = isl.Set.read_from_str(point.get_ctx(), f"{{ T[{_coordinate(point, 0)}] }}")

    def outermost(relation: isl.Map) -> tuple[int, int]:
        here = relation.intersect_params(_parameters(point)).intersect_domain(tile).range()
        here = here.project_out_all_params()
        low, high = here.dim_min_val(0), here.dim_max_val(0)
        return int(low.to_python()), int(high.to_python())

    return TileShare(outermost(footprint.elements), outermost(writers), _sizes(analysis, point))


def missing_writer(
    analysis: ProgramAnalysis, read: AccessRelation, missing: isl.Map, consumer: ArmAccesses
) -> Counterexample:
    """An element (in `missing`, `{ I[i, j, k] -> E[e] }`) that no producer writes."""
    point = _sample(analysis, missing)
    reader = _coordinate(point, 0)
    return Counterexample(
        read.buffer.sym_name.data,
        element=_coordinate(point, 3),
        later=reader,
        later_tile=reader // consumer.arm.workgroup[0],
        sizes=_sizes(analysis, point),
        certain=read.exact,
    )


def crossing(
    analysis: ProgramAnalysis,
    earlier: Stage,
    before: AccessRelation,
    later: Stage,
    after: AccessRelation,
    violations: isl.Map,
) -> Counterexample:
    """Two accesses to one element that run in different tiles (in `violations`)."""
    assert before.touched is not None
    assert after.touched is not None
    depends = before.touched.apply_range(after.touched.reverse())
    bad = earlier.runs.reverse().apply_range(violations)
    involved = bad.apply_range(later.runs).intersect(depends)
    point = _sample(analysis, involved)
    writer, reader = _coordinate(point, 0), _coordinate(point, 3)
    reader_tile = _a_tile(later, reader, point)
    element = _common_element(before, writer, after, reader, point)
    return Counterexample(
        before.buffer.sym_name.data,
        element,
        reader,
        later_tile=None if later.share.extent == 1 else reader_tile,
        earlier=writer,
        earlier_tile=_a_tile(earlier, writer, point, other=reader_tile),
        sizes=_sizes(analysis, point),
        certain=before.exact and after.exact,
    )


def _common_element(
    before: AccessRelation, writer: int, after: AccessRelation, reader: int, point: isl.Point
) -> int:
    assert before.touched is not None
    assert after.touched is not None
    written = _image(before.touched, writer, point)
    return _coordinate(written.intersect(_image(after.touched, reader, point)).sample_point(), 0)


def _image(relation: isl.Map, invocation: int, point: isl.Point) -> isl.Set:
    at = isl.Set.read_from_str(relation.get_ctx(), f"{{ I[{invocation}, 0, 0] }}")
    return relation.intersect_params(_parameters(point)).intersect_domain(at).range()


def _preimage(relation: isl.Map, element: int, point: isl.Point) -> isl.Set:
    at = isl.Set.read_from_str(relation.get_ctx(), f"{{ E[{element}] }}")
    return relation.intersect_params(_parameters(point)).intersect_range(at).domain()


def _invocation(
    runs: isl.Map, tile: int, touched: isl.Map, element: int, point: isl.Point
) -> int | None:
    """An invocation of `tile` that touches `element`."""
    at = isl.Set.read_from_str(runs.get_ctx(), f"{{ T[{tile}] }}")
    here = runs.intersect_params(_parameters(point)).intersect_domain(at).range()
    found = here.intersect(_preimage(touched, element, point))
    return None if found.is_empty() else _coordinate(found.sample_point(), 0)


def _parameters(point: isl.Point) -> isl.Set:
    return isl.Set.from_point(point).params()


def _a_tile(stage: Stage, invocation: int, point: isl.Point, other: int | None = None) -> int:
    """A tile that runs `invocation`, other than `other` if there is one."""
    tiles = _image(stage.runs.reverse(), invocation, point)
    if other is not None:
        elsewhere = tiles.subtract(isl.Set.read_from_str(tiles.get_ctx(), f"{{ T[{other}] }}"))
        tiles = tiles if elsewhere.is_empty() else elsewhere
    return _coordinate(tiles.sample_point(), 0)


def _coordinate(point: isl.Point, position: int) -> int:
    return int(point.get_coordinate_val(isl.dim_type.set, position).to_python())


def _sizes(analysis: ProgramAnalysis, point: isl.Point) -> dict[str, int]:
    """
    The values that a point gives to the program's parameters, by readable name; those that
    follow from others are left out.
    """
    space = point.get_space()
    sizes = dict[str, int]()
    for position in range(space.dim(isl.dim_type.param)):
        name = space.get_dim_name(isl.dim_type.param, position) or ""
        if analysis.symbols.is_defined(name):
            continue
        value = point.get_coordinate_val(isl.dim_type.param, position)
        sizes[analysis.symbols.label(name)] = int(value.to_python())
    return sizes
