"""
What mkdocs asks of this project: pages and files outside of docs/ that the manual links to.

They keep their paths in the site: `../benchmarks/README.md` becomes `benchmarks/README.md`. Tables
and programs that pages link to are copied as they are; a folder is shown as the list of its files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
OUTSIDE = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md")
"""Pages that stand next to what they describe."""
_LINK = re.compile(r"(\]\(\s*<?)([^)\s>#]+)((?:#[^)\s>]*)?>?(?:\s[^)]*)?\))")
_ELSEWHERE = re.compile(r"[a-z]+:")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages outside of docs/, and what they and the manual link to."""
    for name in OUTSIDE:
        text = (ROOT / name).read_text()
        files.append(File.generated(config, name, content=with_links_of_the_site(text, name)))
    for path in linked_files(files):
        if files.get_file_from_path(path) is None:
            files.append(generated_file(config, path))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Let the links of a page of docs/ lead where they lead in the site."""
    path = page.file.src_uri
    return markdown if path in OUTSIDE else with_links_of_the_site(markdown, f"docs/{path}")


def with_links_of_the_site(markdown: str, path: str) -> str:
    """A page of the project, at `path`, with links that are relative to its place in the site."""
    start = posixpath.dirname(in_site(path)) or "."

    def changed(link: re.Match[str]) -> str:
        before, target, after = link.groups()
        if _ELSEWHERE.match(target):
            return link[0]
        aim = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return f"{before}{posixpath.relpath(file_of(in_site(aim)), start)}{after}"

    return _LINK.sub(changed, markdown)


def in_site(path: str) -> str:
    """Where a file of the project stands in the site: docs/ is its top."""
    return path.removeprefix("docs/")


def file_of(path: str) -> str:
    """A file, or for a folder the page that lists it."""
    return f"{path}/files.txt" if (ROOT / path).is_dir() else path


def linked_files(files: Files) -> Iterator[str]:
    """Everything outside of docs/ that a page links to, pages aside."""
    for path in (*OUTSIDE, *(f"docs/{file.src_uri}" for file in files.documentation_pages())):
        if not (ROOT / path).exists():
            continue  # a page of `OUTSIDE`, which is among the files, too
        for link in _LINK.finditer((ROOT / path).read_text()):
            aim = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[2]))
            if not _ELSEWHERE.match(link[2]) and (ROOT / aim).exists():
                if not aim.startswith("docs/") and not aim.endswith(".md"):
                    yield file_of(aim)


def generated_file(config: MkDocsConfig, path: str) -> File:
    """A file of the project, or the list of a folder, as a file of the site."""
    folder = ROOT / posixpath.dirname(path)
    if posixpath.basename(path) == "files.txt":
        names = sorted(each.name for each in folder.iterdir() if each.is_file())
        return File.generated(config, path, content="\n".join(names) + "\n")
    return File.generated(config, path, abs_src_path=str(ROOT / path))
