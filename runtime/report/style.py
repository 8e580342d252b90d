"""How a report looks: on wide and narrow screens, in light and in dark, without the network."""

from vyre_dialect.ir import html

STYLE = f"""{html.STYLE}
:root {{ color-scheme: light dark; }}
body {{ margin: 0 auto; max-width: 62rem; padding: 1rem; }}
h1 {{ font-size: 1.5rem; }}
h2 {{ border-bottom: 1px solid var(--line); margin-top: 2.5rem; }}
nav a {{ margin-right: 1rem; }}
a {{ color: var(--arm); }}
"""
"""The style sheet of a report."""
