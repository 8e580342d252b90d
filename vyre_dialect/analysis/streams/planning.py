"""The search for halos with which all pieces come to the same, for units of one size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vyre_dialect.analysis.streams.bounds import MOST_HALO
from vyre_dialect.analysis.streams.drift import MIDDLE, PIECES, Piece
from vyre_dialect.analysis.streams.evaluation import ArmEffects, BufferFacts
from vyre_dialect.analysis.streams.kept import kept_buffers, merges_of, turns_of
from vyre_dialect.analysis.streams.plan import ArmPlan, CutInput, StreamPlan
from vyre_dialect.analysis.streams.refusal import LargerUnits, Refusal
from vyre_dialect.analysis.streams.walk import Cut, Halos, Request, Walk, walk_of, walk_of_host
from vyre_dialect.ir.types import Initial
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp

_MOST_ROUNDS = 8
"""Evaluations until the halos of arms agree."""
_Walks = Mapping[Piece, Walk]


def plan_of(request: Request) -> StreamPlan | Refusal | LargerUnits:
    """How a program is cut in units of one size, or why it is not."""
    cut = _cut_of(request)
    if not isinstance(cut, Cut):
        return cut
    halos: Halos = {arm: (0, 0) for arm in request.program.arms()}
    own, rounds = (0, 0), 0
    while True:
        walks, rounds = _walks_of(request, cut, halos), rounds + 1
        if isinstance(walks, Refusal | LargerUnits):
            return walks
        wider, asked = _halos_of(request, walks, own), _own(walks)
        is_far = max(map(max, wider.values())) * request.unit > MOST_HALO
        if not is_far and wider == halos and asked == own:
            return _planned(request, cut, walks, halos, own)
        if is_far or rounds == _MOST_ROUNDS:
            return _diverging(request, walks)
        halos, own = wider, asked


def _cut_of(request: Request) -> Cut | Refusal | LargerUnits:
    """Which arms are cut, which buffers are not, and when arms run that work on those."""
    walk = walk_of_host(request, MIDDLE)
    if not isinstance(walk, Walk):
        return walk
    moving = frozenset(arm for arm, plan in walk.arms.items() if plan.axis is not None)
    if not moving:
        return Refusal(request.main, "is of no size that any arm has its invocations from")
    cut = {buffer for buffer, facts in walk.buffers.items() if facts.moves}
    kept = frozenset(kept_buffers(moving, cut))
    turns = turns_of(request.program, moving, kept)
    return turns if isinstance(turns, Refusal) else Cut(moving, kept, turns)


def _walks_of(request: Request, cut: Cut, halos: Halos) -> _Walks | Refusal | LargerUnits:
    walks = dict[Piece, Walk]()
    for piece in PIECES:
        walk = walk_of(request, cut, halos, piece)
        if not isinstance(walk, Walk):
            return walk
        walks[piece] = walk
    return walks


def _own(walks: _Walks) -> tuple[int, int]:
    """What a piece takes in beyond its own on both sides, as all arms and results ask for."""
    befores, afters = [0], [0]
    for piece, walk in walks.items():
        for plan in walk.arms.values():
            befores.append(plan.before)
            afters.append(plan.after)
        for facts in _results(walk):
            missing = -(facts.length.rest.low // facts.length.begin)
            befores.append(0 if piece.begins else facts.before)
            afters.append(0 if piece.ends else max(facts.after, missing))
    return max(befores), max(afters)


def _results(walk: Walk) -> Iterator[BufferFacts]:
    """Results of which each piece has a part."""
    for buffer, facts in walk.buffers.items():
        if facts.moves and buffer.live_out is not None:
            yield facts


def _halos_of(request: Request, walks: _Walks, own: tuple[int, int]) -> Halos:
    """What each arm leaves out: what any piece asks for, or all that is not a piece's own."""
    halos = dict[RegionOp, tuple[int, int]]()
    for arm in request.program.arms():
        asked = [walk.arms[arm] for walk in walks.values() if arm in walk.arms]
        halo = (max(each.before for each in asked), max(each.after for each in asked))
        effects = next(walk.effects[arm] for walk in walks.values() if arm in walk.effects)
        if asked[0].axis is not None and _is_done_once(effects):
            halo = (max(halo[0], own[0]), max(halo[1], own[1]))
        halos[arm] = halo
    return halos


def _is_done_once(effects: ArmEffects) -> bool:
    """Whether an arm has effects that must not happen in two pieces."""
    return any(not op.get_accesses()[place].idempotent for op, place in effects.kept)


def _diverging(request: Request, walks: _Walks) -> Refusal:
    for effects in walks[MIDDLE].effects.values():
        if _is_done_once(effects):
            return Refusal(
                effects.kept[0][0],
                "must happen once, and its arm writes what arms read beyond their own units: "
                "give it an arm of its own",
            )
    return Refusal(request.main, "is read further away with each arm")


def _planned(
    request: Request, cut: Cut, walks: _Walks, halos: Halos, own: tuple[int, int]
) -> StreamPlan | Refusal | LargerUnits:
    """The plan, once halos agree."""
    middle = walks[MIDDLE]
    arms = dict[RegionOp, ArmPlan]()
    for arm in request.program.arms():
        found = next(walk.arms[arm] for walk in walks.values() if arm in walk.arms)
        arms[arm] = ArmPlan(found.turn, found.axis, found.rate, *halos[arm])
    lengths = {b: facts.length.begin for b, facts in middle.buffers.items() if facts.moves}
    for buffer in lengths:
        if buffer.output_range is not None:
            return Refusal(buffer, "is read back in turn, by bytes of all of it")
    inputs = _inputs(request, cut, middle)
    if not isinstance(inputs, dict):
        return inputs
    effects = [each for walk in walks.values() for each in walk.effects.items()]
    merges = merges_of(cut.kept, cut.moving, effects)
    if isinstance(merges, Refusal):
        return merges
    before, after = own
    least = max(before + after + 1, *(walk.least for walk in walks.values()))
    moves = {piece: walk.moves for piece, walk in walks.items()}
    return StreamPlan(*(request.main, inputs, before, after, least, arms, merges, lengths, moves))


def _inputs(
    request: Request, cut: Cut, middle: Walk
) -> dict[BufferOp, CutInput] | Refusal | LargerUnits:
    """What is cut: all that moves and that the host may supply."""
    exact = walk_of_host(request, MIDDLE, cut, exact=True)
    if not isinstance(exact, Walk):
        return exact
    inputs = {request.main: CutInput(request.unit)}
    for buffer, facts in middle.buffers.items():
        is_given = facts.moves and buffer.initial_contents == Initial.HOST
        if is_given and (rest := exact.buffers[buffer].length.rest).is_one:
            inputs.setdefault(buffer, CutInput(facts.length.begin, rest.low))
    return inputs
