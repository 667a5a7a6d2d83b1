"""What axe finds wrong with a chat on a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Page) -> list[Any]:
    """What axe finds wrong with the chat; forced colours it reads only by half, so they are left out."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return page.evaluate(
        """values => axe.run('.bnb', {
          runOnly: values, rules: { 'color-contrast': { enabled: !matchMedia('(forced-colors: active)').matches } },
        }).then(({ violations }) =>
          violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]))""",
        RULES,
    )
