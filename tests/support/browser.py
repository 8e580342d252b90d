"""A browser without a window, and what is asked of the pages that it shows."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium-headless-shell", "chromium", "google-chrome")
"""Programs that may be installed."""
PHONE, DESK = 390, 1200
"""Widths of screens, in pixels."""

Scheme = Literal["light", "dark"]


def browser_path() -> str | None:
    """The browser of this machine, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def started_browser(path: str) -> Generator[Browser]:
    """A browser that runs, until it is left."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Shown:
    """A page as it is shown, with everything that it complained about."""

    page: Page
    complaints: list[str] = field(default_factory=list[str])
    loaded: list[str] = field(default_factory=list[str])
    """Where it took anything from."""

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.loaded.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console",
            lambda said: self.complaints.append(said.text) if said.type == "error" else None,
        )

    def asked(self, script: str) -> list[str]:
        """What a script finds in the page, as lines."""
        return cast("list[str]", self.page.evaluate(script))


@contextmanager
def shown(browser: Browser, url: str, width: int, scheme: Scheme) -> Generator[Shown]:
    """A page on a screen of that width, in light or dark."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    found = Shown(page)
    page.goto(url)
    yield found
    page.close()


WIDER_THAN_THE_SCREEN = """() => {
  const wide = document.documentElement.scrollWidth > window.innerWidth;
  return wide ? [`${document.documentElement.scrollWidth} pixels`] : [];
}"""
"""Whether a reader has to scroll the page sideways."""

CUT_OFF = """() => [...document.querySelectorAll('svg[viewBox] text')].filter(text => {
  const box = text.getBBox(), all = text.ownerSVGElement.viewBox.baseVal;
  return box.x < all.x || box.x + box.width > all.x + all.width
    || box.y < all.y || box.y + box.height > all.y + all.height;
}).map(text => text.textContent)"""
"""Words of pictures that reach beyond them."""

OVERLAPPING = """() => [...document.querySelectorAll('svg text')].filter(text => {
  const own = text.getBoundingClientRect();
  return [...text.ownerSVGElement.querySelectorAll('rect')].some(each => {
    const box = each.getBoundingClientRect();
    const meets = own.left < box.right && box.left < own.right
      && own.top < box.bottom && box.top < own.bottom;
    return meets && (own.left < box.left || box.right < own.right);
  });
}).map(text => text.textContent)"""
"""Words of pictures that run into a box or out of it."""

CROWDED = """() => {
  const words = [...document.querySelectorAll('svg text')].map(text => {
    const box = text.getBoundingClientRect(), line = box.height / 5;
    return {said: text.textContent, left: box.left - 2, right: box.right + 2,
      top: box.top + line, bottom: box.bottom - line};
  });
  const meet = (one, other) => one.left < other.right && other.left < one.right
    && one.top < other.bottom && other.top < one.bottom;
  return words.flatMap((one, at) => words.slice(at + 1).filter(other => meet(one, other))
    .map(other => `${one.said} / ${other.said}`));
}"""
"""Words of pictures that are not apart from one another by 4 pixels, beside or above."""

TOO_SMALL = """() => [...document.querySelectorAll('svg text')].filter(text =>
  parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a < 9
).map(text => text.textContent)"""
"""Words of pictures that are less than 9 pixels high."""

ILLEGIBLE = """() => {
  const ink = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  ink.canvas.width = ink.canvas.height = 1;
  const painted = (colors) => {
    for (const [color, opacity] of colors) {
      ink.globalAlpha = opacity; ink.fillStyle = color; ink.fillRect(0, 0, 1, 1);
    }
    return [...ink.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map(part => part / 255)
      .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = [getComputedStyle(document.body).backgroundColor, 1];
  const behind = (text) => {
    const box = text.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    return [...text.ownerSVGElement.querySelectorAll('rect')].filter(each => {
      const area = each.getBoundingClientRect();
      return area.left <= x && x <= area.right && area.top <= y && y <= area.bottom;
    }).map(each => [getComputedStyle(each).fill, parseFloat(getComputedStyle(each).fillOpacity)]);
  };
  return [...document.querySelectorAll('svg text')].filter(text => {
    const back = luminance(painted([page, ...behind(text)]));
    const fore = luminance(painted([page, [getComputedStyle(text).fill, 1]]));
    return (Math.max(back, fore) + 0.05) / (Math.min(back, fore) + 0.05) < 4.5;
  }).map(text => text.textContent);
}"""
"""Words of pictures that stand out from what is behind them by less than WCAG 2 asks, 4.5:1."""

_WITHOUT_WORDS = "svg text { visibility: hidden; } figure { width: 720px; overflow: visible; }"
_DIFFERENCE = """async ([left, right]) => {
  const pixels = async (data) => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + data;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width; canvas.height = image.height;
    const ink = canvas.getContext('2d');
    ink.drawImage(image, 0, 0);
    return [image.width, image.height, ink.getImageData(0, 0, image.width, image.height).data];
  };
  const [first, second] = [await pixels(left), await pixels(right)];
  if (first[0] !== second[0] || first[1] !== second[1]) return 1;
  let far = 0;
  for (let at = 0; at < first[2].length; at += 4)
    far += [0, 1, 2].some(part => Math.abs(first[2][at + part] - second[2][at + part]) > 24);
  return far * 4 / first[2].length;
}"""


def picture(found: Shown, figure: int) -> bytes:
    """A figure of a page as PNG: its shapes alone, since words depend on the fonts of a machine."""
    found.page.add_style_tag(content=_WITHOUT_WORDS)
    return found.page.locator("figure svg").nth(figure).screenshot()


def difference(found: Shown, left: bytes, right: bytes) -> float:
    """The share of pixels in which two pictures clearly differ; 1 where their sizes do."""
    sent = [base64.b64encode(each).decode() for each in (left, right)]
    return cast("float", found.page.evaluate(_DIFFERENCE, sent))


def address(path: Path) -> str:
    """A file as a browser is told of it."""
    return path.resolve().as_uri()
