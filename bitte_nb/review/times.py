"""Deadlines: how they are written for a person and when they deserve a warning."""

from __future__ import annotations

from datetime import UTC, datetime

from bitte_nb.review.sheet import Sheet

__all__ = ["clock", "deadline", "utc"]

_YEAR = 365 * 24 * 3600


def utc(seconds: int) -> str:
    """A time like 2026-01-01 00:30:00 UTC, or a plain word for times past the year 9999."""
    if not 0 <= seconds < 253402300800:
        return "never" if seconds > 0 else f"{seconds} s before 1970"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def clock(seconds: int) -> str:
    """The same time on a twelve-hour clock, as many wallets write it; empty for times past the year 9999."""
    if not 0 <= seconds < 253402300800:
        return ""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %I:%M:%S %p UTC")


def deadline(
    sheet: Sheet, seconds: int, *, row_id: str, label: str, what: str, source: str = "", open_end: bool = False
) -> None:
    """Add the row of a deadline and judge it; `open_end` says that 0 means for ever (DAI)."""
    now = sheet.ctx.now
    never = seconds >= 2**48 - 1 or (open_end and seconds == 0) or (now is not None and seconds > now + 10 * _YEAR)
    far = seconds >= 2**48 - 1 or (open_end and seconds == 0)
    sheet.row(
        row_id,
        label,
        "never" if far else utc(seconds),
        raw=str(seconds),
        kind="time",
        note=clock(seconds),
        source=source,
    )
    if never:
        sheet.warn(
            "never_expires", f"{what} does not expire within ten years." if not far else f"{what} never expires."
        )
    elif now is None:
        sheet.skip("Deadlines were not compared with the time: no clock was given.")
    elif seconds < now:
        sheet.warn("deadline_passed", f"{what} expired on {utc(seconds)}; the transaction would fail or do nothing.")
