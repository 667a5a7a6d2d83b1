"""What a model's tokens cost, as the person says it: prices change, so none is built in."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Price"]

_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Price(BaseModel):
    """Prices of one model, in units of the currency per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)

    input: _Amount
    """Per million tokens that the model reads."""
    output: _Amount
    """Per million tokens that it writes."""
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
    """ISO 4217."""
