"""The primitives that a document may declare in `x-mb.assistant.tools`: tools that its server does not carry out.

Only declared primitives are offered, and only those that are known here; arguments as in the Bitte runtime. Some are
carried out here (the wallet's, and `render-chart`). The others need a service that a notebook does not have: an
operation of the document or a Python function of the same name supplies it, and without one the call says so.
"""

from __future__ import annotations

from bitte_nb.core.primitive import Primitive
from bitte_nb.core.service_primitives import SERVICE_PRIMITIVES
from bitte_nb.core.wallet_primitives import WALLET_PRIMITIVES

__all__ = ["PRIMITIVES", "Primitive"]

_RENDER_CHART = Primitive(
    name="render-chart",
    executor="local",
    description="Draw a chart for the person from data that an operation returned: bars, lines, areas or candles over "
    "time. The chart is shown as it is; do not repeat its numbers in words.",
    input_schema={
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "description": "What is drawn, in a few words."},
            "description": {"type": "string", "description": "One sentence below the title."},
            "chartType": {"type": "string", "enum": ["bar", "area", "line", "candle"], "description": "How to draw."},
            "dataFormat": {
                "type": "string",
                "enum": ["currency", "percentage", "number"],
                "description": "currency: US dollars. percentage: fractions of one, 0.12 is shown as 12%. number: as "
                "given.",
            },
            "metricLabels": {
                "type": "array",
                "minItems": 2,
                "items": {"type": "string"},
                "description": "A label for each column of dataPoints; the first is the label of the time. Candles "
                "have the columns time, open, high, low, close.",
            },
            "dataPoints": {
                "type": "array",
                "description": "One row per point: the time, then a number (or null for a gap) for each further label. "
                "Times are UNIX seconds, milliseconds or ISO 8601 texts.",
                "items": {"type": "array", "minItems": 2, "items": {"type": ["string", "number", "null"]}},
            },
        },
        "required": ["title", "chartType", "dataFormat", "metricLabels", "dataPoints"],
        "additionalProperties": False,
    },
    result_hint="{title, chartType, dataFormat, chartConfig, chartData, metricData}",
)

PRIMITIVES: dict[str, Primitive] = {one.name: one for one in (*WALLET_PRIMITIVES, _RENDER_CHART, *SERVICE_PRIMITIVES)}
"""Known primitives by name."""
