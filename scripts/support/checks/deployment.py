"""Rules about the deployment: chart, compose file and image use existing variables, files and services."""
import json
import pathlib
import re
import subprocess

import yaml

from .documents import markdown_files

FOLDERS = ("deploy/chart/templates", "deploy/chart/tests/golden", "deploy/image")
# Matches a key in the list of secret keys in docs/configuration.md. For a secret key there is also a variable with the
# suffix _FILE, which names a file with the value.
SECRET = re.compile(r"`([a-z._]+)`")


def known_variables(root: pathlib.Path) -> set[str]:
    """Returns the variables that a worker reads, according to docs/configuration.md."""
    text = (root / "docs" / "configuration.md").read_text()
    keys = re.findall(r"^\| `([a-z._]+)` \|", text, re.MULTILINE)
    said = re.search(r"Secret settings \((.*?)\)", text, re.DOTALL)
    secret = {key for key in keys if key in SECRET.findall(said[1] if said else "") or key.endswith(".proxy")}
    variable = {key: "MARTLET_" + key.upper().replace(".", "_") for key in keys}
    return {"MARTLET_CONFIG", *variable.values(), *(f"{variable[key]}_FILE" for key in secret)}


def variables(root: pathlib.Path) -> list[str]:
    known = known_variables(root)
    files = [root / "deploy" / "compose.yaml", *(file for folder in FOLDERS for file in sorted((root / folder).rglob("*")))]
    problems = []
    for file in files:
        # Docker's own substitutions are not variables of a worker.
        text = re.sub(r"\$\{[^}]*\}", "", file.read_text()) if file.is_file() and file.suffix != ".pyc" else ""
        problems += [f"{file.relative_to(root)}: no worker reads {name}" for name in sorted(set(re.findall(r"\bMARTLET_[A-Z_]+\b", text)) - known
                     - {"MARTLET_IMAGE", "MARTLET_TEST_WORKER_AMQP_URL", "MARTLET_TEST_DATABASE_URL"})]
    return problems


def compose(root: pathlib.Path) -> list[str]:
    """Checks that the sources of volumes, the services that others or documents name, and the fields of the jobs exist."""
    place = root / "deploy"
    document = yaml.safe_load((place / "compose.yaml").read_text())
    problems = []
    for name, service in document["services"].items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if not (place / source).exists() if source.startswith(".") else source not in document.get("volumes", {}):
                problems.append(f"{name} mounts {source}, which does not exist")
        problems += [f"{name} depends on {other}, which does not exist" for other in service.get("depends_on", {})
                     if other not in document["services"]]
    for file in markdown_files(root):
        for line in re.findall(r"docker compose .*", file.read_text()):
            problems += [f"{file.relative_to(root)} names {name}, which does not exist"
                         for name in re.findall(r"(?:--attach|--rm|--index \d+) ([\w-]+)", line) if name not in document["services"]]
    for file in sorted((place / "compose" / "jobs").glob("*.json")):
        fields = json.loads((root / "docs" / "schema" / "job.schema.json").read_text())["properties"]
        problems += [f"{file.name}: jobs have no field {name}" for name in sorted(json.loads(file.read_text()).keys() - fields.keys())]
    return [f"deploy/compose.yaml: {problem}" for problem in problems]


def prometheus(root: pathlib.Path) -> list[str]:
    result = subprocess.run(["promtool", "check", "config", "--syntax-only", "deploy/compose/prometheus.yaml"], cwd=root,
                            capture_output=True, text=True)
    return (result.stdout + result.stderr).splitlines() if result.returncode else []


def chart(root: pathlib.Path) -> list[str]:
    result = subprocess.run(["scripts/chart"], cwd=root, capture_output=True, text=True)
    return (result.stdout + result.stderr).splitlines() or ["failed"] if result.returncode else []
