"""Input for the examples, and for other programs of decoders: text full of what they look for."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from examples.encodings import Array, as_bytes, encode
from vyre_dialect.ops.decode import DeltaOp
from vyre_dialect.ops.library import DecodeOp
from vyre_dialect.ops.packed import BitUnpackOp

WORDS = (
    b"self None True False class return raise import yield lambda assert except finally "
    b"continue nonlocal global def __init__ __name__ isinstance ValueError TypeError KeyError "
    b"OSError encode decode bytes unicode warnings threading test_ selfself 00000 se lf \xff\x00"
).split(b" ")
BLANKS = (b"", b" ", b"    ", b"     ")


def matching_text(size: int, seed: int = 0) -> bytes:
    """Words that the examples count, cut off at `size` bytes, with runs of blanks between some."""
    chosen = np.random.default_rng(seed).integers(0, len(WORDS), size // 4 + 1).tolist()
    words: list[bytes] = [WORDS[word] + BLANKS[word % 4] for word in chosen]
    text = b"".join(words)
    return text[:size]


def encoded_text(module: ModuleOp, text: bytes) -> Array:
    """What the decoders of a program, one after the other, decode to a text, or to its words."""
    decoders = [op for op in module.walk() if isinstance(op, DecodeOp)]
    data = as_bytes(text)
    if isinstance(decoders[-1], DeltaOp | BitUnpackOp):
        data = data[: len(data) // 4 * 4].view(np.int32)
    for decoder in reversed(decoders):
        data = encode(decoder, data)
    return data
