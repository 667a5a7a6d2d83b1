"""Rules about where requests go."""

from __future__ import annotations

from collections.abc import Iterator

from bitte_nb.errors import OperationError
from bitte_nb.spec.doctor.rule import Remark, rule
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.guard import origin_of
from bitte_nb.spec.servers import fill
from bitte_nb.spec.tree import is_map, plain, sequence

__all__: list[str] = []


@rule("SRV001", "error", "every server is an absolute https URL")
def absolute(survey: Survey) -> Iterator[Remark]:
    """Loading says where no server can be resolved; this says what else is wrong with one."""
    for index, server in enumerate(sequence(survey.root.get("servers"))):
        at = f"/servers/{index}/url"
        if not is_map(server) or not plain(server.get("url")).strip():
            yield Remark(at=f"/servers/{index}", message="The server has no url.", fix="Write `url: https://...`.")
            continue
        try:
            url = fill(server, {})
        except OperationError as fault:
            yield Remark(at=at, message=str(fault), fix="Give each variable of the URL a `default`.")
            continue
        if url.startswith("http://") and not _loopback(url):
            fix = "Write https."
            yield Remark(at=at, message=f"The server {url} is not https: anybody on the way can read along.", fix=fix)


def _loopback(url: str) -> bool:
    host = origin_of(url).split("://", 1)[-1].rsplit(":", 1)[0]
    return host in ("localhost", "127.0.0.1", "[::1]", "0.0.0.0") or host.endswith(".localhost")
