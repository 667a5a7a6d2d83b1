"""A JupyterLab of our own: free port, own settings, no pop-ups, nothing read from or written to the user's Jupyter."""

from __future__ import annotations

import json
import os
import secrets
import sys
import sysconfig
from typing import TYPE_CHECKING, Any

from scripts.server import Server, free_port

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

QUIET: dict[str, dict[str, Any]] = {
    "@jupyterlab/apputils-extension:notification": {
        "checkForUpdates": False,
        "fetchNews": "false",
        "doNotDisturbMode": True,
    },
}
"""JupyterLab settings (plugin id to values) under which nothing pops up and nothing asks the network."""


def jupyter_environment(home: Path, *, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a Jupyter process whose configuration, data and runtime files live in `home`, made if need be.

    The folder of this Python's programs comes first on PATH, so that `python3` kernels are of this environment.
    """
    env = {key: value for key, value in os.environ.items() if not key.startswith(("JUPYTER", "JPY_"))}
    folders = {
        "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_DATA_DIR": home / "data",
        "JUPYTER_RUNTIME_DIR": home / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": home / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": home / "workspaces",
        "IPYTHONDIR": home / "ipython",
    }
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    env |= {name: str(folder) for name, folder in folders.items()}
    env |= {
        "JUPYTER_PLATFORM_DIRS": "0",
        "PATH": os.pathsep.join([sysconfig.get_path("scripts"), env.get("PATH", "")]),
    }
    return env | dict(extra or {})


class LabServer(Server):
    """JupyterLab that serves `root` and keeps all of its own files in `home`."""

    def __init__(
        self,
        root: Path,
        home: Path,
        *,
        env: Mapping[str, str] | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        self.root = root
        self.home = home
        self.token = secrets.token_urlsafe(24)
        self.settings = QUIET | dict(settings or {})
        port = free_port()
        super().__init__(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"),
                *("--ServerApp.port_retries=0", f"--ServerApp.root_dir={root}"),
                # A server refuses to run as root unless told; in a container root is often all there is.
                *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
                "--LabApp.extension_manager=readonly",
                *arguments,
            ],
            name="JupyterLab server",
            port=port,
            ready="/api",
            log=home / "server.log",
            cwd=root,
            # By environment, not as an argument: anybody on the machine may read the arguments of a process.
            env=jupyter_environment(home, extra=env) | {"JUPYTER_TOKEN": self.token},
        )

    def start(self) -> LabServer:
        """Write the settings that are not there yet, start, and wait until the server answers."""
        for plugin, values in self.settings.items():
            package, name = plugin.split(":")
            path = self.home / "settings" / package / f"{name}.jupyterlab-settings"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(values), "utf-8")
        super().start()
        return self

    def notebook_url(self, notebook: str) -> str:
        """The address, token included, that opens one notebook (a path relative to `root`)."""
        return f"{self.url}/lab/tree/{notebook}?token={self.token}"
