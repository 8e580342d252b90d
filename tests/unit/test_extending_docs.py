"""The page on packages beside vyre shows the package that is tested, and shows all of it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text()
EXTENSION = ROOT / "examples" / "extension"
SOURCES = {
    "python": [*EXTENSION.rglob("*.py")],
    "mlir": [EXTENSION / "tape.mlir", *EXTENSION.rglob("policies/*.mlir")],
    "toml": [EXTENSION / "pyproject.toml"],
}


@pytest.mark.parametrize("language", SOURCES)
def test_every_block_is_a_part_of_a_file(language: str) -> None:
    texts = [path.read_text() for path in SOURCES[language]]
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert blocks
    for block in blocks:
        assert any(block.strip() in text for text in texts), block


def test_what_the_page_names_exists() -> None:
    from importlib import import_module

    for module in set(re.findall(r"`(vyre_dialect(?:\.\w+)+)`", PAGE)):
        try:
            import_module(module)
        except ImportError:
            parent, _, name = module.rpartition(".")
            assert hasattr(import_module(parent), name), module


def test_what_the_page_takes_from_modules_is_there() -> None:
    from importlib import import_module

    named = re.findall(r"((?:`\w+`, )*`\w+`) of `(vyre_dialect(?:\.\w+)+)`", PAGE)
    assert len(named) >= 8
    missing = [
        f"{module}.{name}"
        for names, module in named
        for name in re.findall(r"\w+", names)
        if not hasattr(import_module(module), name)
    ]
    assert missing == []
    assert re.findall(r"`, `\.\w+`", PAGE) == []  # a name without its module
