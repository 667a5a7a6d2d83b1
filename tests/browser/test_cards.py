"""Results as their components in a real JupyterLab: a chart, a table, a widget of Python, and an author's renderers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.chat_view import chat_in

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook

SETUP = """
import math
import ipywidgets
import bitte_nb as bn
from bitte_nb.testing import Call, ScriptedModel

days = [f"2026-{1 + day // 28:02}-{1 + day % 28:02}" for day in range(84)]
points = [[name, 100 + 20 * math.sin(day / 6), 70 + day / 3] for day, name in enumerate(days)]
chart = {"title": "Prices", "chartType": "line", "dataFormat": "currency", "metricLabels": ["Day", "BTC", "ETH"],
         "dataPoints": points}

@bn.tool(safe=True)
def prices(days: int = 3):
    '''Prices of some days.'''
    import pandas
    return pandas.DataFrame({"coin": ["btc", "eth", "near"], "price": [97000.5, 3912.4, 2.71]})

@bn.tool(safe=True)
def level():
    return ipywidgets.IntSlider(value=3, description="Level")

@bn.tool(safe=True)
def look():
    return {"seen": "sea", "place": "<img src=x onerror=alert(1)>"}

@bn.tool(safe=True)
def chart_of_plotly():
    class Plot:
        def _repr_mimebundle_(self, **_):
            return {"application/vnd.vegalite.v5+json": VEGA, "text/plain": "Plot"}
    return Plot()

VEGA = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "width": 60, "height": 40,
        "data": {"values": [{"a": 1, "b": 2}, {"a": 2, "b": 5}]}, "mark": "bar",
        "encoding": {"x": {"field": "a", "type": "ordinal"}, "y": {"field": "b", "type": "quantitative"}}}

document = {"openapi": "3.1.0", "info": {"title": "Cards", "version": "1"}, "paths": {},
            "x-mb": {"assistant": {"name": "Cards", "tools": [{"type": "render-chart"}]}}}
calls = [Call("render-chart", chart), Call("prices"), Call("level"), Call("look"), Call("chart_of_plotly")]
agent = bn.Agent(document, model=ScriptedModel([calls, ["All is shown."], [Call("look")], ["Again."]]),
                 tools=[prices, level, look, chart_of_plotly])
chat = bn.Chat(agent)
"""

RENDERERS = """
chat.renderers["look"] = bn.renderer(esm='''
export default {
  render({ model, el }) {
    const button = document.createElement("button");
    button.textContent = `${model.get("data").seen} at ${model.get("data").place}`;
    el.append(button);
  },
};
''')
"""


def test_results_are_drawn_by_components_and_by_what_the_author_made(notebook: OpenNotebook) -> None:
    book = notebook([SETUP, "chat"])
    book.run_all()
    chat = chat_in(book, 1)
    chat.say("show everything")
    chat.expect_text("All is shown.")

    plot = chat.card("render-chart").get_by_role("slider")
    expect(plot).to_be_visible()
    plot.focus()
    plot.press("Home")
    expect(plot).to_have_attribute("aria-valuetext", re.compile("BTC \\$100.00, ETH \\$70.00"))
    expect(chat.card("render-chart").locator("[data-bnb-readout]")).to_contain_text("$70.00")

    table = chat.card("prices").locator("table")
    expect(table).to_contain_text("97,000.5")

    # A widget of the kernel lives in its card: what a person does there reaches Python.
    slider = chat.card("level").get_by_role("slider")
    expect(slider).to_be_visible()
    slider.focus()
    slider.press("ArrowRight")
    call = "next(c for c in chat.invocations if c.tool == 'level')"
    value = f"agent.find('level').value({call}.idempotency_key).value"
    book.wait_until(lambda: book.python(value) == "4", what="the slider's value in the kernel")

    # What only Jupyter can draw is drawn by Jupyter, in its own output.
    expect(chat.card("chart_of_plotly").locator(".jp-OutputArea canvas, .jp-OutputArea svg").first).to_be_visible()

    expect(chat.card("look").locator(".bnb-json")).to_be_visible()
    book.run(RENDERERS)
    button = chat.card("look").get_by_role("button", name="sea at <img src=x onerror=alert(1)>")
    expect(button).to_be_visible()
    expect(chat.card("look").locator(".bnb-json")).to_have_count(0)

    chat.card("render-chart").scroll_into_view_if_needed()
    book.screenshots("cards", of=chat.root)

    # A reader without a kernel sees the chart as a picture and the table as a table.
    book.wait_until(lambda: "97000.5</td>" in str(book.outputs(1)), what="the table in the transcript")
    saved = book.save()
    [html] = [
        one["data"]["text/html"]
        for one in saved.cells[1].outputs
        if "bnb-static" in str(one.get("data", {}).get("text/html"))
    ]
    assert 'alt="Chart: Prices" src="data:image/svg+xml,' in html
    assert "<td>97000.5</td>" in html
    # And a page that is loaded again shows all of it, the widget as well.
    book.reload()
    again = chat_in(book, 1)
    expect(again.card("level").get_by_role("slider")).to_be_visible()
    expect(again.card("look").get_by_role("button", name="sea at <img src=x onerror=alert(1)>")).to_be_visible()
