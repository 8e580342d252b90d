"""A report as one page of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from vyre_dialect.ir.html import highlighted
from vyre_dialect.messages import printable_lines
from vyre_dialect.runtime.display.drawings import bars, timeline
from vyre_dialect.runtime.display.verdicts import drawn_plan, verdict
from vyre_dialect.runtime.opencl.results import RunResult, spans
from vyre_dialect.runtime.program.explanation import Explanation
from vyre_dialect.runtime.report.stages import StageRecorder
from vyre_dialect.runtime.report.style import STYLE
from vyre_dialect.runtime.tuning.predictions import Predictions

_SECTIONS = {
    "source": "Program",
    "verdicts": "Verdicts",
    "stages": "Stages",
    "memory": "Memory plan",
    "timeline": "Timeline",
    "roofline": "Roofline",
    "search": "Forms and tuning",
}


@dataclass(frozen=True)
class Report:
    """What a page shows of a program."""

    name: str
    """What stands for its file."""
    text: str
    explanation: Explanation
    recorder: StageRecorder
    memory: str
    """The memory plan, as SVG."""
    run: RunResult | None = None
    """None without inputs."""
    predictions: Predictions | None = None
    """None without inputs or a device."""
    decision: Mapping[str, object] | None = None
    """What tuning has decided."""

    def html(self) -> str:
        """The page."""
        program, device = escape(self.explanation.program), self.explanation.device
        where = "any device" if device is None else escape(device)
        links = "".join(f'<a href="#{key}">{title}</a>' for key, title in _SECTIONS.items())
        bodies = "".join(
            f'<section id="{key}"><h2>{title}</h2>{self._body(key)}</section>'
            for key, title in _SECTIONS.items()
        )
        page = (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{program} – vyre</title><style>{STYLE}</style></head><body class=vyre>"
            f"<h1>{program}</h1><p class=soft>{escape(self.name)}, compiled for {where}</p>"
            f"<nav>{links}</nav>{bodies}</body></html>\n"
        )
        return printable_lines(page)  # names of a program hold any characters

    def _body(self, section: str) -> str:
        match section:
            case "source":
                return highlighted(self.text)
            case "verdicts":
                return "".join(self._verdicts())
            case "stages":
                return "".join(self._stages())
            case "memory":
                return f"<figure>{self.memory}</figure>"
            case "timeline":
                return self._timeline()
            case "roofline":
                return self._roofline()
            case _:
                return self._search()

    # Verdicts.

    def _verdicts(self) -> Iterator[str]:
        if not self.explanation.handoffs:
            yield "<p>No buffer is handed from one arm to another.</p>"
        for handoff in self.explanation.handoffs:
            yield verdict(handoff)
        for plan in self.explanation.plans:
            yield drawn_plan(plan)

    # Stages.

    def _stages(self) -> Iterator[str]:
        runs = {row.name: row for row in self.explanation.passes}
        for stage in self.recorder.stages():
            row, lines = runs.get(stage.name), stage.difference()
            why = "" if row is None else f" <span class=soft>{escape(row.why)}</span>"
            counts = [sum(line.startswith(sign) for line in lines) for sign in "+-"]
            yield (
                f"<details><summary><code>{escape(stage.name)}</code> +{counts[0]} "
                f"-{counts[1]} lines{why}</summary>{difference(lines)}</details>"
            )
        kernels = code(self.recorder.kernel_text)
        yield f"<details><summary>kernels, as OpenCL C</summary>{kernels}</details>"

    # Times.

    def _timeline(self) -> str:
        if self.run is None:
            return "<p>Nothing ran: give the program its inputs by <code>--input</code>.</p>"
        if not any(arm.kernel_ns for arm in self.run.arms):
            return "<p>The interpreter takes no times: name another device.</p>"
        total = f"{self.run.total_ns / 1e6:.3f} ms"
        drawn = timeline(spans(self.run.arms))
        return f"<figure>{drawn}</figure><p>Total, on the host: {total}.</p>"

    def _roofline(self) -> str:
        if self.predictions is None:
            return "<p>Predicted of inputs: give them by <code>--input</code>.</p>"
        values = dict[str, tuple[float, str]]()
        for form, each in self.predictions.forms.items():
            values[f"{form}: memory alone"] = (each.roofline_ns, "tile")
            values[f"{form}: predicted ({each.bound})"] = (each.ns, "arm")
        if self.run is not None and (measured := measured_ns(self.run)):
            values["measured"] = (measured, "bad")
        model = self.predictions.model
        said = (
            f"The model of this device is wrong by {model.error:.0%} in the median."
            if model.is_calibrated
            else "As devices of this kind take; <code>vyre devices --calibrate</code> measures "
            "this one."
        )
        return f"<figure>{bars('roofline', values)}</figure><p>{said}</p>"

    def _search(self) -> str:
        if self.decision is None:
            return (
                "<p>Nothing was decided by tuning; <code>vyre tune FILE</code> searches for the "
                "fastest form.</p>"
            )
        return table(self.decision)


def measured_ns(run: RunResult) -> int:
    """Nanoseconds that the kernels of a run took."""
    return sum(arm.kernel_ns or 0 for arm in run.arms)


def code(text: str) -> str:
    """Text as it is."""
    return f"<pre>{escape(text)}</pre>"


def difference(lines: list[str]) -> str:
    """Lines of a difference, in colours."""
    kinds = {"+": "plus", "-": "minus", "@": "soft"}
    shown = (
        f'<span class="{kinds.get(line[:1], "")}">{escape(line) or " "}</span>' for line in lines
    )
    return f"<pre class=difference>{''.join(shown)}</pre>"


def table(values: Mapping[str, object]) -> str:
    """Names and values."""
    rows = "".join(
        f"<tr><th>{escape(str(name))}</th><td>{escape(str(value))}</td></tr>"
        for name, value in values.items()
    )
    return f"<table>{rows}</table>"
