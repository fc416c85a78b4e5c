"""The machine a run was made on: a figure without it says nothing."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import psyirt


def machine() -> dict[str, object]:
    """Processor, cores, memory, system, Python, psyirt."""
    return {
        "processor": _field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory": _field("/proc/meminfo", "MemTotal"),
        "system": platform.platform(),
        "python": platform.python_version(),
        "psyirt": psyirt.__version__,
        "load_average": os.getloadavg(),
    }


def _field(path: str, name: str) -> str:
    """A field of one of Linux's files; empty elsewhere."""
    file = Path(path)
    if not file.exists():
        return ""
    for line in file.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""
