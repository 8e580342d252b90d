"""IR as HTML: highlighted, in colours that suit light and dark, without the network."""

from __future__ import annotations

import re
from html import escape

from vyre_dialect.messages import printable_lines

STYLE = """
.vyre { --back: #fff; --fore: #1c2128; --soft: #57606a; --line: #d0d7de; --card: #f6f8fa;
  --arm: #4878cf; --tile: #2e8540; --bad: #c0392b; --plus: #dafbe1; --minus: #ffebe9;
  --op: #8250df; --value: #0550ae; --symbol: #953800; --string: #116329;
  background: var(--back); color: var(--fore); font: 16px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { .vyre { --back: #0d1117; --fore: #e6edf3; --soft: #9198a1;
  --line: #3d444d; --card: #151b23; --arm: #79a6f2; --tile: #57ab5a; --bad: #f47067;
  --plus: #12361f; --minus: #4b1113;
  --op: #d2a8ff; --value: #79c0ff; --symbol: #ffa657; --string: #7ee787; } }
.vyre * { box-sizing: border-box; }
.vyre pre { background: var(--card); border: 1px solid var(--line); border-radius: 6px;
  color: var(--fore); font-family: ui-monospace, monospace; font-size: .8rem; margin: .5rem 0;
  overflow-x: auto; padding: .6rem; white-space: pre; }
.vyre .ir-op { color: var(--op); } .vyre .ir-value { color: var(--value); }
.vyre .ir-symbol, .vyre .ir-type { color: var(--symbol); }
.vyre .ir-string, .vyre .ir-number { color: var(--string); }
.vyre .ir-comment, .vyre .soft { color: var(--soft); } .vyre .bad { color: var(--bad); }
.vyre .difference span { display: block; min-width: max-content; }
.vyre .difference .plus { background: var(--plus); }
.vyre .difference .minus { background: var(--minus); }
.vyre details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0;
  padding: .4rem .8rem; }
.vyre summary { cursor: pointer; }
.vyre table { border-collapse: collapse; display: block; margin: .5rem 0; overflow-x: auto; }
.vyre td, .vyre th { border-bottom: 1px solid var(--line); padding: .25rem .8rem .25rem 0;
  text-align: left; }
.vyre figure { margin: 1rem 0; overflow-x: auto; }
.vyre svg { display: block; height: auto; max-width: 100%; min-width: 34rem; width: 45rem; }
.vyre text { fill: var(--fore); font: 13px system-ui, sans-serif; }
.vyre rect.arm { fill: var(--arm); } .vyre rect.tile { fill: var(--tile); }
.vyre rect.bad { fill: var(--bad); }
.vyre rect.arm, .vyre rect.tile, .vyre rect.bad { fill-opacity: .55; }
.vyre rect.pale { fill-opacity: .15; }
.vyre line.flow { stroke: var(--soft); stroke-width: 1.5; }
"""
"""How everything looks that stands in an element of the class `vyre`."""

_TOKENS = {
    "comment": r"//[^\n]*",
    "symbol": r'@(?:[\w.$-]+|"(?:[^"\\\n]|\\.)*")',
    "string": r'"(?:[^"\\\n]|\\.)*"',
    "value": r"%[\w.$-]+(?:\#\d+)?",
    "type": r"![a-z][\w.]*|\b(?:i\d+|f\d+|index|vector|memref)\b",
    "op": r"\b[a-z]\w*(?:\.[a-z_]\w*)+",
    "number": r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\b",
}
_TOKEN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _TOKENS.items()))


def highlighted(ir: str) -> str:
    """The text of IR as an element of HTML in which ops, values, names and types stand out."""
    parts, end = list[str](), 0
    for token in _TOKEN.finditer(ir):
        parts.append(escape(ir[end : token.start()], quote=False))
        parts.append(f'<span class="ir-{token.lastgroup}">{escape(token[0], quote=False)}</span>')
        end = token.end()
    return f"<pre>{''.join(parts)}{escape(ir[end:], quote=False)}</pre>"


def fragment(body: str) -> str:
    """HTML that brings its own style, to stand in a notebook."""
    shown = printable_lines(body)  # names of a program hold any characters
    return f'<div class="vyre" style="padding: .5rem"><style>{STYLE}</style>{shown}</div>'
