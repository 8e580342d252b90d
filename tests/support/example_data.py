"""Input for the examples: text full of what they look for."""

import numpy as np

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
