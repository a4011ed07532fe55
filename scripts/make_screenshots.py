"""Take the pictures of the explorer that the documentation shows: ``make screenshots`` (needs chromium)."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import sync_playwright

from topicgrove import demo

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DESK = (1280, 720)
PHONE = (390, 844)
N_COLOURS = 256
WORD = "image"
SHOWN_TOPIC = "image, images, png"
"""Name of the topic in the pictures; if the tree has no such topic, they show the largest one on level 1."""


def main() -> None:
    """Fit the demonstration corpus and photograph its page."""
    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("there is no chromium to take pictures with")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        with redirect_stdout(StringIO()):
            demo.run(Path(folder), n_jobs=1)
        address = (Path(folder) / "debian.html").as_uri()
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        take_all(browser, address)
        browser.close()


def take_all(browser: Browser, address: str) -> None:
    """Take every picture, by its name."""
    page = opened(browser, address, DESK, "light")
    save(page, "explorer-overview")
    topic = find_topic(page)
    page = opened(browser, f"{address}{topic}", DESK, "light")
    save(page, "explorer-topic")
    page.click("#view-branches")
    save(page, "explorer-branches")
    page = opened(browser, f"{address}#word={WORD}", DESK, "light")
    save(page, "explorer-word")
    page.fill("#search", WORD)
    save(page, "explorer-search")
    save(opened(browser, f"{address}#training", DESK, "light"), "explorer-training")
    page = opened(browser, f"{address}#topic=1", DESK, "dark")
    page.evaluate("document.getElementById('panel').scrollTo(0, document.querySelector('.document').offsetTop - 140)")
    save(page, "explorer-dark")
    save(opened(browser, f"{address}{topic}", PHONE, "light"), "explorer-phone")


def opened(browser: Browser, address: str, size: tuple[int, int], scheme: str) -> Page:
    """Open a page of a given size in light or dark colours."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    return page


def find_topic(page: Page) -> str:
    """Search for the topic's name, and return its address."""
    page.fill("#search", SHOWN_TOPIC)
    page.keyboard.press("Enter")
    address: str = page.evaluate("location.hash")
    return address or "#topic=1"


def save(page: Page, name: str) -> None:
    """Save a picture in the folder of images once nothing moves any more, in few colours to keep it small."""
    page.wait_for_timeout(400)
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    small = picture.quantize(N_COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    small.save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
