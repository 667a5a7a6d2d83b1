"""What the chat's page costs in a real Chromium, beside other ways to paint a streamed answer, from one run.

    python benchmarks/widget_page.py [--quick]

Needs `npm ci` in js/; what other chats paint with (`benchmarks/peers`) is installed by the first run, and left out
where that cannot be. Thread CPU is the renderer's main thread as the browser counts it (`TaskDuration` in thread
ticks), layout included; React's and JupyterLab's ways run over several tasks. Ends with an error when a promise of the
page is not kept; promises are ratios to what a peer costs on the same machine in the same run where a peer can do it,
else times a person would notice. It wants a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from scripts.chromium import FLAGS, chromium  # noqa: E402 - the scripts are no package of the environment

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

OURS = "ours"
PEER = "marked + DOMPurify"
"""What most chats do: parse and sanitise the whole message on every flush."""
APPENDING = "streaming-markdown"
"""What only ever adds nodes, and so mis-renders what a later word changes: the floor of a flush."""
PRODUCTS = [PEER, APPENDING, "text only"]
"""Peers that are measured at a flush per token too: with it the others take minutes."""
TOKEN = 4
"""Characters."""


@dataclass
class Promises:
    """What was promised and whether it was kept."""

    broken: list[str] = field(default_factory=list[str])

    def hold(self, what: str, value: float, limit: float, unit: str = "") -> None:
        """Say one number and its limit."""
        kept = value <= limit
        print(f"  {'kept  ' if kept else 'BROKEN'} {what}: {value:.3g}{unit}, at most {limit:.3g}{unit}", flush=True)
        if not kept:
            self.broken.append(what)


class Bench:
    """The page of `js/dev/bench.ts`."""

    def __init__(self, page: Page, cdp: CDPSession) -> None:
        self.page, self.cdp = page, cdp

    def metrics(self) -> dict[str, float]:
        """What the browser counts, in seconds of CPU of the page's main thread."""
        metrics: list[dict[str, Any]] = self.cdp.send("Performance.getMetrics")["metrics"]
        return {one["name"]: float(one["value"]) for one in metrics}

    def cpu(self) -> float:
        """Seconds of CPU of the page's main thread so far."""
        return self.metrics()["TaskDuration"]

    def call(self, name: str, *arguments: object) -> Any:
        """The result of a function of the page."""
        return self.page.evaluate("([name, arguments]) => bench[name](...arguments)", [name, list(arguments)])

    def stream(self, renderer: str, kind: str, to: int, width: int, start: int = 0) -> tuple[float, float]:
        """Seconds of CPU to paint a text from `start` to `to` characters, and what of it is layout and style."""
        self.call("begin", renderer, kind, start, to, width)
        before = self.metrics()
        self.call("grow")
        after = self.metrics()
        total, *drawing = (
            after[name] - before[name] for name in ("TaskDuration", "LayoutDuration", "RecalcStyleDuration")
        )
        return total, sum(drawing)

    def own(self, kind: str, to: int, width: int, start: int) -> float:
        """Seconds of CPU that our script and the nodes it makes take for the same; layout is left to other tasks."""
        self.call("begin", OURS, kind, start, to, width)
        spent = 0.0
        for _ in range(start, to, width):
            before = self.metrics()
            self.cdp.send("Runtime.evaluate", {"expression": "bench.flush()"})
            spent += self.metrics()["DevToolsCommandDuration"] - before["DevToolsCommandDuration"]
            self.cdp.send("Runtime.evaluate", {"expression": "bench.draw()"})
        return spent


def streams(bench: Bench, promises: Promises, *, quick: bool) -> None:
    """Two thousand tokens, one flush per 16 and one per token, by every renderer."""
    print("\n2,000 tokens (8 KB) of mixed Markdown, seconds of main-thread CPU")
    print(f"{'':36}{'flush per 16':>14}{'layout, style':>15}{'flush per token':>17}")
    coalesced: dict[str, float] = {}
    for renderer in bench.page.evaluate("bench.renderers"):
        runs = [bench.stream(renderer, "mixed", 2_000 * TOKEN, 16 * TOKEN) for _ in range(2 if quick else 3)]
        coalesced[renderer], drawing = min(runs)
        single = ""
        if not quick and renderer in {OURS, *PRODUCTS}:
            single = f"{bench.stream(renderer, 'mixed', 2_000 * TOKEN, TOKEN)[0]:.2f} s"
        print(f"{renderer:36}{coalesced[renderer]:12.3f} s{drawing:13.3f} s{single:>17}", flush=True)
    ours = coalesced[OURS]
    promises.hold("2,000 tokens at a flush per 16", ours, 0.1, " s")
    promises.hold("2,000 tokens at a flush per 16, to the same by " + PEER, ours / coalesced[PEER], 0.1)
    promises.hold("2,000 tokens at a flush per 16, to mere text", ours / coalesced["text only"], 1.6)


def growth(bench: Bench, promises: Promises) -> None:
    """A flush at 80 KB beside one at 8 KB, of one endless block of each kind.

    Our own part is the script and the nodes that it makes. The rest is the browser's, which lays a paragraph out as a
    whole, whoever paints it: the cost of mere text stands beside it.
    """
    print("\nOne flush of 64 characters at 8 KB and at 80 KB of one block, milliseconds of CPU: all, and our own part")
    flushes = 20

    def each(renderer: str, kind: str, start: int, runs: int) -> float:
        costs = [bench.stream(renderer, kind, start + 64 * flushes, 64, start)[0] for _ in range(runs)]
        return min(costs) * 1000 / flushes

    for kind in (one for one in bench.page.evaluate("bench.kinds") if one != "mixed"):
        small, large = (each(OURS, kind, start, 3) for start in (8_000, 80_000))
        small_own, large_own = (
            min(bench.own(kind, start + 64 * flushes, 64, start) for _ in range(3)) * 1000 / flushes
            for start in (8_000, 80_000)
        )
        text = each("text only", kind, 80_000, 1)
        adding = [each(APPENDING, kind, start, 2) for start in (8_000, 80_000)]
        peer = bench.stream(PEER, kind, 80_128, 64, 80_000)[0] * 1000 / 2
        print(
            f"{kind:12} ours {small:6.2f} {large:6.2f}, own {small_own:5.2f} {large_own:5.2f}"
            f"    {APPENDING} {adding[0]:6.2f} {adding[1]:6.2f}    text only {text:6.2f}    {PEER} {peer:8.1f}",
            flush=True,
        )
        promises.hold(f"{kind}: a flush at 80 KB, to one by {PEER}", large / peer, 0.1)
        promises.hold(f"{kind}: a flush at 80 KB, to one by {APPENDING}", large / adding[1], 1.5)
        promises.hold(f"{kind}: our own part at 80 KB, to that at 8 KB", large_own / small_own, 1.8)
        if kind == "table":
            promises.hold(f"{kind}: a flush at 80 KB, to one at 8 KB", large / small, 2)
        if kind == "paragraph":
            promises.hold(f"{kind}: a flush at 80 KB, to mere text", large / text, 1)


def size(bench: Bench, promises: Promises) -> None:
    """Chats, answers and cards at sizes that would freeze a page."""
    print("\nSizes")
    told = bench.call("rehydrate", 2_000)
    print(f"  2,000 messages: ready in {told['ready']:.0f} ms, all drawn in {told['all']:.0f} ms", flush=True)
    promises.hold("2,000 messages are ready", told["ready"], 1_000, " ms")
    promises.hold("longest stall while the rest is drawn", told["stall"], 1_000, " ms")
    for kind in ("mixed", "prose", "fence"):
        told = bench.call("longAnswer", kind, 1_000_000)
        promises.hold(f"a million characters ({kind}): longest stall", told["stall"], 2_000, " ms")
    told = bench.call("cards", 500)
    promises.hold("500 cards: longest stall", told["stall"], 1_500, " ms")
    print(f"  a change of one of 500 cards is on the page in {told['change']:.0f} ms", flush=True)


def typing(bench: Bench, promises: Promises) -> None:
    """Keys in the composer while an answer streams in a chat of 200 messages."""
    bench.call("streaming", 200)
    before = bench.cpu()
    times = bench.call("keys", 100)
    spent = bench.cpu() - before
    print(f"\nKeys while streaming in a chat of 200 messages: {spent:.2f} s of CPU for 100 keys", flush=True)
    promises.hold("key to paint, median", statistics.median(times), 50, " ms")
    print(f"  slowest of 100: {max(times):.0f} ms")


def build() -> None:
    """The page, with the peers where they can be installed."""
    folder = ROOT / "benchmarks/peers"
    if not (folder / "node_modules").is_dir():
        install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        if subprocess.run(install, cwd=folder, check=False).returncode != 0:
            print("the peers of benchmarks/peers cannot be installed: they are left out")
    if (folder / "node_modules").is_dir():
        options = ["--bundle", "--target=es2022", "--loader:.svg=text", "--log-level=error"]
        options += ['--define:process.env.NODE_ENV="production"', "--outfile=.dev/peers.js"]
        subprocess.run(["node_modules/.bin/esbuild", folder / "peers.js", *options], cwd=ROOT / "js", check=True)
    subprocess.run(["node", "dev/gallery.mjs"], cwd=ROOT / "js", check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs each, and only coalesced flushes")
    quick: bool = parser.parse_args().quick
    build()
    promises = Promises()
    executable = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        page = browser.new_page(viewport={"width": 1000, "height": 900})
        cdp = page.context.new_cdp_session(page)
        cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto((ROOT / "js/.dev/bench.html").as_uri())
        page.wait_for_function("window.bench !== undefined")
        print(f"Chromium {browser.version}")
        bench = Bench(page, cdp)
        streams(bench, promises, quick=quick)
        growth(bench, promises)
        size(bench, promises)
        typing(bench, promises)
        browser.close()
    if promises.broken:
        sys.exit(f"\n{len(promises.broken)} promises broken: {'; '.join(promises.broken)}")


if __name__ == "__main__":
    main()
