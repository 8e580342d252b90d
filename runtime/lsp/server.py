"""The language server: what it answers, by the protocol's own names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from vyre_dialect.runtime.lsp.descriptions import described, ops_and_dialects, passes
from vyre_dialect.runtime.lsp.document import Document, Problem

_Opened: TypeAlias = types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams
_Asked: TypeAlias = types.HoverParams | types.DefinitionParams | types.CompletionParams
_MOST_SHOWN = 400
"""Completions that are given at once."""


class MLIRServer(LanguageServer):
    """Keeps the documents that are open, each read when it changes."""

    def __init__(self, version: str):
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "vyre", version, types.TextDocumentSyncKind.Full
        )
        self.documents = dict[str, Document]()

    def document(self, uri: str) -> Document | None:
        """An open document; None for what no editor has opened, which is not read."""
        if uri not in self.documents and uri in self.workspace.text_documents:
            self.documents[uri] = Document(self.workspace.get_text_document(uri).source)
        return self.documents.get(uri)

    def read(self, uri: str) -> None:
        """Read a document anew, and say what is wrong with it."""
        self.documents.pop(uri, None)
        document = self.document(uri)
        if document is None:
            return
        found = [_diagnostic(document, each) for each in document.problems]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))


def make_server(version: str) -> MLIRServer:
    """A server with all that it can do."""
    server = MLIRServer(version)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def read(parameters: _Opened) -> None:
        server.read(parameters.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def close(parameters: types.DidCloseTextDocumentParams) -> None:
        server.documents.pop(parameters.text_document.uri, None)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(parameters: types.HoverParams) -> types.Hover | None:
        place = _at(server, parameters)
        return None if place is None else _hover(*place)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def define(parameters: types.DefinitionParams) -> types.Location | None:
        place = _at(server, parameters)
        found = None if place is None else _definition(*place)
        if place is None or found is None:
            return None
        return types.Location(parameters.text_document.uri, _range(place[0], *found))

    completion = types.CompletionOptions(trigger_characters=[".", "%", "@", "-"])

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, completion)
    def complete(parameters: types.CompletionParams) -> types.CompletionList | None:
        place = _at(server, parameters)
        if place is None:
            return None
        document, offset = place
        names = list(_completions(document, offset))
        items = [
            types.CompletionItem(name, kind=kind, text_edit=_edit(document, offset, name))
            for name, kind in names[:_MOST_SHOWN]
        ]
        return types.CompletionList(is_incomplete=len(names) > _MOST_SHOWN, items=items)

    del read, close, hover, define, complete  # the server has them
    return server


def _at(server: MLIRServer, parameters: _Asked) -> tuple[Document, int] | None:
    """The document that is asked about, if it is open, and the place in it."""
    document = server.document(parameters.text_document.uri)
    if document is None:
        return None
    source = server.workspace.get_text_document(parameters.text_document.uri)
    return document, source.offset_at_position(parameters.position)


def _diagnostic(document: Document, problem: Problem) -> types.Diagnostic:
    """An error, from its place to the end of the word there."""
    start = document.offset(problem.line - 1, problem.column - 1)
    _, end = document.word_at(start, r"[\w.$%@!#-]")
    place = _range(document, start, max(end, start + 1))
    return types.Diagnostic(
        place, problem.message, severity=types.DiagnosticSeverity.Error, source="vyre"
    )


def _range(document: Document, start: int, end: int) -> types.Range:
    return types.Range(_position(document, start), _position(document, end))


def _position(document: Document, offset: int) -> types.Position:
    """A place as the protocol counts: columns in units of UTF-16."""
    line, column = document.place(offset)
    before = document.text[offset - column : offset]
    return types.Position(line, len(before.encode("utf-16-le", "surrogatepass")) // 2)


def _hover(document: Document, offset: int) -> types.Hover | None:
    if (name := document.name_at(offset)) is not None and name.type is not None:
        start, end, text = name.start, name.end, f"```mlir\n{name.type}\n```"
    else:
        start, end = document.word_at(offset)
        text = described(document.text[start:end])
    if text is None:
        return None
    content = types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.Hover(content, _range(document, start, end))


def _definition(document: Document, offset: int) -> tuple[int, int] | None:
    if (name := document.name_at(offset)) is not None:
        return name.definition
    symbol = document.symbol_at(offset)
    return None if symbol is None else document.symbols().get(symbol)


_Names: TypeAlias = Iterable[tuple[str, types.CompletionItemKind]]


def _completions(document: Document, offset: int) -> _Names:
    """What may stand at a place: values, symbols, or ops and passes."""
    start, _ = document.word_at(offset)
    written = document.text[start:offset]
    if document.text[start - 1 : start] == "%":
        values = {document.text[each.start : each.end] for each in document.names}
        chosen = sorted(each[1:] for each in values if each.startswith(f"%{written}"))
        return ((each, types.CompletionItemKind.Variable) for each in chosen)
    if document.text[start - 1 : start] == "@":
        chosen = sorted(each for each in document.symbols() if each.startswith(written))
        return ((each, types.CompletionItemKind.Reference) for each in chosen)
    ops = ((each, types.CompletionItemKind.Function) for each in ops_and_dialects(written))
    named = ((each, types.CompletionItemKind.Module) for each in passes(written))
    return [*ops, *named]


def _edit(document: Document, offset: int, name: str) -> types.TextEdit:
    """Put a name in the place of what is written of it."""
    start, _ = document.word_at(offset)
    return types.TextEdit(_range(document, start, offset), name)
