"""How a report looks: on wide and narrow screens, in light and in dark, without the network."""

STYLE = """
:root { color-scheme: light dark; --back: #fff; --fore: #1c2128; --soft: #57606a; --line: #d0d7de;
  --card: #f6f8fa; --arm: #4878cf; --tile: #2e8540; --bad: #c0392b;
  --plus: #dafbe1; --minus: #ffebe9; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --fore: #e6edf3; --soft: #9198a1;
  --line: #3d444d; --card: #151b23; --arm: #79a6f2; --tile: #57ab5a; --bad: #f47067;
  --plus: #12361f; --minus: #4b1113; } }
* { box-sizing: border-box; }
body { background: var(--back); color: var(--fore); font: 16px/1.5 system-ui, sans-serif;
  margin: 0 auto; max-width: 62rem; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { border-bottom: 1px solid var(--line); margin-top: 2.5rem; }
nav a { margin-right: 1rem; } a { color: var(--arm); }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 6px; font-size: .8rem;
  overflow-x: auto; padding: .6rem; }
pre .plus { background: var(--plus); } pre .minus { background: var(--minus); }
pre span { display: block; min-width: max-content; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0;
  padding: .4rem .8rem; }
summary { cursor: pointer; } .soft { color: var(--soft); } .bad { color: var(--bad); }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border-bottom: 1px solid var(--line); padding: .25rem .8rem .25rem 0;
  text-align: left; }
figure { margin: 1rem 0; overflow-x: auto; }
svg { display: block; height: auto; max-width: 100%; min-width: 34rem; width: 45rem; }
svg text { fill: var(--fore); font-size: 13px; }
svg .arm { fill: var(--arm); } svg .tile { fill: var(--tile); } svg .bad { fill: var(--bad); }
svg .arm, svg .tile, svg .bad { fill-opacity: .55; } svg line.flow { stroke: var(--soft);
  stroke-width: 1.5; } svg line { stroke: currentColor; }
"""
"""The style sheet of a report."""
