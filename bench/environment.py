"""Where the other engines live: Python environments and jars in the cache folder, made once and never mixed with ours."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from firesteel.dev.broker.jars import find_ivy, proxy_flags
from firesteel.folder import cache_folder
from firesteel.java import find_java


@dataclass(frozen=True)
class Jar:
    """`whole`: with what it needs, but for what is excluded because the engine has it."""

    organisation: str
    name: str
    revision: str
    whole: bool = False
    excluded: tuple[str, ...] = ()


FLINK_JARS = (
    Jar("org.apache.flink", "flink-sql-connector-kafka", "5.0.0-2.2"),
    Jar("org.apache.flink", "flink-sql-avro", "2.3.0"),
)
SPARK_JARS = (
    Jar(
        "org.apache.spark",
        "spark-sql-kafka-0-10_2.13",
        "4.0.0",
        whole=True,
        excluded=("jsr305", "scala-parallel-collections_2.13"),
    ),
    Jar("org.apache.spark", "spark-avro_2.13", "4.0.0"),
)


def _folder() -> Path:
    folder = cache_folder() / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def python_of(name: str, *packages: str) -> Path:
    """The Python of an environment with these packages; makes it when it is not there."""
    folder = _folder() / name
    done = folder / ".installed"
    if not done.exists():
        print(f"installing {', '.join(packages)} …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        command: list[str | Path] = [
            folder / "bin" / "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            *packages,
        ]
        subprocess.run(command, check=True, timeout=1800)
        done.touch()
    return folder / "bin" / "python"


def jars_of(name: str, jars: tuple[Jar, ...]) -> list[Path]:
    """The jars, fetched once with the Ivy that PySpark brings along."""
    folder = _folder() / f"{name}-jars"
    done = folder / ".installed"
    if not done.exists():
        print(f"fetching {', '.join(jar.name for jar in jars)} …", flush=True)
        folder.mkdir(exist_ok=True)
        description = folder / "ivy.xml"
        description.write_text(_describe(jars))
        command: list[str | Path] = [
            find_java(),
            *proxy_flags(os.environ),
            "-jar",
            find_ivy(),
            "-cache",
            folder / "ivy",
        ]
        settings = os.environ.get("FIRESTEEL_IVY_SETTINGS")
        if settings:
            command += ["-settings", settings]
        command += ["-ivy", description, "-confs", "default", "-types", "jar", "bundle"]
        command += ["-retrieve", f"{folder}/[artifact]-[revision].[ext]"]
        subprocess.run(command, check=True, timeout=1800, stdout=subprocess.DEVNULL)
        done.touch()
    return sorted(folder.glob("*.jar"))


def _describe(jars: tuple[Jar, ...]) -> str:
    lines = []
    for jar in jars:
        excluded = "".join(f'<exclude name="{name}"/>' for name in jar.excluded)
        lines.append(
            f'<dependency org="{jar.organisation}" name="{jar.name}" rev="{jar.revision}" conf="default->default"'
            f' transitive="{str(jar.whole).lower()}">{excluded}</dependency>'
        )
    return (
        '<ivy-module version="2.0"><info organisation="firesteel" module="bench"/>'
        f'<configurations><conf name="default"/></configurations><dependencies>{"".join(lines)}</dependencies></ivy-module>'
    )
