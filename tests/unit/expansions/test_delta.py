"""`vyre.decode.delta` takes running sums of zigzag-coded differences, block by block."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.decodes import based_delta_decoder, decoded, delta_decoder, first_error
from support.interpreting import interpreter
from xdsl.dialects.builtin import IntegerType, i8, i32, i64

from examples.encodings import delta_encoded

Words = npt.NDArray[np.uint32]
LONG_BLOCK = 10000


def expected(words: Words, block: int) -> list[int]:
    """Decoded one word at a time, in Python's own integers."""
    values = list[int]()
    for position, word in enumerate(map(int, words)):
        difference = -(word + 1) // 2 if word % 2 else word // 2
        value = word if position % block == 0 else values[-1] + difference
        values.append(value % (1 << 32))
    return values


def words_of(count: int) -> Words:
    return np.random.default_rng(count).integers(0, 1 << 32, count, dtype=np.uint32)


@pytest.mark.parametrize("block", range(1, 131))
def test_every_block_size(block: int):
    decoder = delta_decoder(block)
    for count in (0, 1, block - 1, block, block + 1, 3 * block + 2):
        words = words_of(count)
        assert decoded(decoder, words).tolist() == expected(words, block)


SHARED = [(8, 4), (12, 4), (64, 4), (64, 32), (128, 8), (128, 16), (640, 64), (1024, 4)]


@pytest.mark.parametrize(("block", "values"), SHARED)
def test_blocks_that_invocations_share(block: int, values: int):
    decoder = delta_decoder(block, values=values)
    for count in (0, 1, values - 1, values + 1, block - 1, block, block + 1, 5 * block + 2, 3000):
        words = words_of(count)
        assert decoded(decoder, words).tolist() == expected(words, block)


@pytest.mark.parametrize("lanes", [8, 16])
@pytest.mark.parametrize(("block", "values"), [(16, 16), (48, 48), (128, 128), (128, 8), (64, 32)])
def test_vectors_of_other_lengths(lanes: int, block: int, values: int):
    decoder = delta_decoder(block, values=values, lanes=lanes)
    for count in (0, 1, lanes - 1, lanes + 1, block - 1, block, block + 1, 5 * block + 2):
        words = words_of(count)
        assert decoded(decoder, words).tolist() == expected(words, block)


@pytest.mark.slow
@settings(max_examples=20)
@given(st.binary(max_size=2000))
def test_shared_blocks_of_words_in_bytes(text: bytes):
    decoder = delta_decoder(64, i8, values=8)
    if len(text) % 4:
        assert first_error(decoder, text) == len(text)
    else:
        words = np.frombuffer(text, np.uint32)
        assert decoded(decoder, text).tolist() == expected(words, 64)


@pytest.mark.parametrize("block", [1, 3, 4, 128])
def test_every_length(block: int):
    decoder = delta_decoder(block)
    for count in range(201):
        words = words_of(count)
        assert decoded(decoder, words).tolist() == expected(words, block)


@given(st.lists(st.integers(-(1 << 31), (1 << 31) - 1), max_size=300), st.integers(1, 40))
def test_gives_back_what_was_encoded(values: list[int], block: int):
    array = np.array(values, np.int32)
    result = decoded(delta_decoder(block), delta_encoded(array, block))
    assert result.view(np.int32).tolist() == values


@pytest.mark.one_in(3)
@pytest.mark.parametrize("block", [LONG_BLOCK, LONG_BLOCK + 1, (1 << 32) - 4])
def test_long_blocks(block: int):
    decoder = delta_decoder(block)
    for count in (0, 1, 7, LONG_BLOCK - 1, LONG_BLOCK + 13):
        words = words_of(count)
        assert decoded(decoder, words).tolist() == expected(words, block)


@settings(max_examples=50)
@given(st.binary(max_size=400), st.integers(1, 20))
def test_words_in_bytes(text: bytes, block: int):
    decoder = delta_decoder(block, i8)
    if len(text) % 4:
        assert first_error(decoder, text) == len(text)
    else:
        words = np.frombuffer(text, np.uint32)
        assert decoded(decoder, text).tolist() == expected(words, block)


@pytest.mark.parametrize(("block", "values"), [(3, 3), (16, 16), (64, 8), (128, 32)])
@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("word", [i32, i64])
def test_blocks_with_bases(block: int, values: int, plain: bool, word: IntegerType):
    decoder = based_delta_decoder(block, word, values, plain=plain)
    dtype = np.int32 if word == i32 else np.int64
    for count in (0, 1, block - 1, block, block + 1, 5 * block + 2, 1000):
        random = np.random.default_rng(count)
        values_ = random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, count, dtype)
        bases = random.integers(-1000, 1000, -(-count // block), dtype)
        before = np.roll(values_, 1)
        before[::block] = bases
        with np.errstate(over="ignore"):
            differences = values_ - before
        coded = differences if plain else differences << 1 ^ differences >> word.width.data - 1
        found = interpreter(decoder).run({"encoded": coded, "bases": bases}).outputs["decoded"]
        assert found.view(dtype).tolist() == values_.tolist()


@pytest.mark.parametrize(("block", "values"), [(5, 5), (64, 64), (64, 8)])
@pytest.mark.parametrize("source", [i8, i64])
def test_words_of_64_bits(source: IntegerType, block: int, values: int):
    decoder = delta_decoder(block, source, values, word=i64)
    array = np.random.default_rng(block).integers(-(1 << 63), (1 << 63) - 1, 300)
    differences = np.diff(array, prepend=0)
    coded = differences << 1 ^ differences >> 63
    coded[::block] = array[::block]
    encoded = coded.view(np.uint8) if source == i8 else coded
    assert decoded(decoder, encoded).view(np.int64).tolist() == array.tolist()
    if source == i8:
        assert first_error(decoder, encoded.tobytes() + b"1234") == len(encoded) + 4
