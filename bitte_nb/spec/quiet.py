"""Log records of the HTTP library without the secrets of the request that is being sent."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bitte_nb.spec.credentials import Credentials

__all__ = ["redacted_logs"]

_LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy")
"""The loggers that may write a URL or headers; a filter works only on the logger that a record is made by."""
_sending: ContextVar[Credentials | None] = ContextVar("_sending", default=None)


class _Redaction(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        credentials = _sending.get()
        if credentials is not None:
            record.msg, record.args = credentials.redact(record.getMessage()), ()
        return True


_redaction = _Redaction()
for _name in _LOGGERS:
    logging.getLogger(_name).addFilter(_redaction)


@contextmanager
def redacted_logs(credentials: Credentials | None) -> Generator[None]:
    """While it lasts, what this task's requests log holds none of these secrets."""
    token = _sending.set(credentials)
    try:
        yield
    finally:
        _sending.reset(token)
