"""What kind of disk a path lies on, and how not to wait for one that never answers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bitte_nb.errors import HistoryError

__all__ = ["NETWORK", "disk_of", "within"]

NETWORK = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "fuse.glusterfs", "fuse.juicefs", "fuse.rclone", "fuse.s3fs",
        "fuse.sshfs", "gfs2", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb2", "smb3", "smbfs", "virtiofs",
    }
)  # fmt: skip
"""File systems on which two machines can see the same file, so that shared memory cannot guard it."""

_MOUNTS = Path("/proc/self/mountinfo")

T = TypeVar("T")


def disk_of(path: Path, *, mounts: str | None = None) -> str:
    """The file system's type under the path, for example `ext4`; empty where the machine does not tell.

    Args:
        path: A file or folder, which need not exist.
        mounts: The mount table (proc_pid_mountinfo(5)) instead of this machine's own.
    """
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text(errors="replace")
        except OSError:
            return ""
    found, kind = -1, ""
    # Not resolved: that would touch a disk which may not answer.
    absolute = path.absolute()
    for line in mounts.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split()
        if not separator or len(fields) < 5 or not after.split():
            continue
        point = Path(fields[4].replace("\\040", " "))
        depth = len(point.parts)
        # The last mount on a point covers the earlier ones.
        if depth >= found and (absolute == point or absolute.is_relative_to(point)):
            found, kind = depth, after.split()[0]
    return kind


def within(seconds: float, action: Callable[[], T], *, late: str) -> T:
    """What `action` returns or raises, if it ends in time.

    A disk that is gone blocks in the kernel, where nothing can interrupt it; so it blocks a thread that nobody needs.

    Raises:
        HistoryError: the time is over; the sentence is `late`.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(action())
        except BaseException as error:  # handed to the caller below
            errors.append(error)

    thread = threading.Thread(target=run, name="open history", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise HistoryError(late)
    return results[0]
