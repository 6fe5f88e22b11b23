"""Rules about alerts: promtool accepts them, the runbook describes each of them, and their metrics exist."""
import json
import pathlib
import re
import runpy
import shutil
import subprocess
import tempfile

import yaml

from .documents import anchor, metric_names

PARTS = ("Meaning", "Impact", "Look at", "Do")
SEVERITIES = ("page", "ticket", "info")


def runbook(root: pathlib.Path) -> list[str]:
    """Checks that docs/runbook.md has a complete section for each alert and no others, and that rules and boards name only
    existing metrics."""
    folder = root / "deploy" / "prometheus"
    groups = yaml.safe_load((folder / "martlet.rules.yaml").read_text())["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    names = [rule["alert"] for rule in rules if "alert" in rule]
    chapters = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", (root / "docs" / "runbook.md").read_text(), re.MULTILINE | re.DOTALL))
    problems = [f"docs/runbook.md: has no section {name}" for name in sorted(set(names) - set(chapters))]
    problems += [f"docs/runbook.md: there is no alert {name}" for name in sorted(set(chapters) - set(names))]
    for name, text in chapters.items():
        problems += [f"docs/runbook.md: {name} has no part: {word}" for word in PARTS
                     if f"- **{word}**: " not in text]
    for rule in rules:
        # The severity is a word, or a template that chooses one.
        chosen = re.sub(r"{{[^{}]*}}", " ", rule["labels"]["severity"]).split() if "alert" in rule else []
        if "alert" in rule and not (chosen and set(chosen) <= set(SEVERITIES)):
            problems.append(f"martlet.rules.yaml: {rule['alert']}: severity must be one of {', '.join(SEVERITIES)}")
        # The chart replaces this path, and so does the sed command at the top of martlet.rules.yaml.
        if "alert" in rule and rule["annotations"].get("runbook_url") != f"docs/runbook.md#{anchor(rule['alert'])}":
            problems.append(f"martlet.rules.yaml: {rule['alert']}: runbook_url must be docs/runbook.md#{anchor(rule['alert'])}")
    shown = metric_names(root)
    for file in [folder / "martlet.rules.yaml", root / "docs" / "runbook.md", *sorted((root / "deploy" / "grafana").glob("*.json"))]:
        for name in sorted(set(re.findall(r"(?<![\w:])(?:martlet|process)_[a-z_]+", file.read_text()))):
            if name not in shown and re.sub(r"_(bucket|sum|count)$", "", name) not in shown:
                problems.append(f"{file.relative_to(root)}: no worker has the metric {name}")
    tests = "".join(file.read_text() for file in folder.glob("*.test.yaml"))
    for name in names:
        if any(f"- name: {name} {what}\n" not in tests for what in ("fires", "is quiet")):
            problems.append(f"deploy/prometheus: {name} needs tests in which it fires and is quiet")
    return problems


def rules(root: pathlib.Path) -> list[str]:
    """Checks the alerts with Debian's promtool, and runs their tests."""
    if shutil.which("promtool") is None:
        return ["promtool is missing; run scripts/install"]
    folder = root / "deploy" / "prometheus"
    problems = []
    for command in (["check", "rules", "--lint=all", "--lint-fatal", "martlet.rules.yaml"],
                    ["test", "rules", *sorted(file.name for file in folder.glob("*.test.yaml"))]):
        result = subprocess.run(["promtool", *command], cwd=folder, capture_output=True, text=True)
        if result.returncode != 0:
            problems += (result.stdout + result.stderr).splitlines()
    return problems


def boards(root: pathlib.Path) -> list[str]:
    """Checks that the boards are what their script writes, and that Prometheus can parse each query."""
    folder = root / "deploy" / "grafana"
    made = runpy.run_path(str(folder / "boards.py"))["boards"]()
    kept = {file.name: file.read_text() for file in folder.glob("*.json")}
    problems = [f"deploy/grafana/{name} is out of date; run deploy/grafana/boards.py" for name in sorted(made.keys() | kept.keys())
                if made.get(name) != kept.get(name)]
    queries = [target["expr"].replace("$__rate_interval", "5m") for text in kept.values()
               for panel in json.loads(text)["panels"] for target in panel.get("targets", [])]
    rules = [{"record": f"board:query:{number}", "expr": query} for number, query in enumerate(queries)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"groups": [{"name": "boards", "rules": rules}]}, file)
        file.flush()
        result = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True)
    return problems + ((result.stdout + result.stderr).splitlines() if result.returncode else [])
