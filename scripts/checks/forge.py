"""What a forge reads: workflows call the project's own gate, and templates name what is there."""
import pathlib

import yaml


def workflows(root: pathlib.Path) -> list[str]:
    """The gate runs `.ci/run`, and what a workflow's steps run is in the repository."""
    problems, runs = [], []
    for file in sorted((root / ".github" / "workflows").glob("*.yml")):
        document = yaml.safe_load(file.read_text())
        for name, job in document.get("jobs", {}).items():
            if "timeout-minutes" not in job:
                problems.append(f"{file.name}: the job {name} has no timeout-minutes")
            for step in job.get("steps", []):
                program = str(step.get("run", "")).split(" ")[0]
                if "/" in program and not (root / program).exists():
                    problems.append(f"{file.name}: {program} does not exist")
                runs.append(program)
    return problems if ".ci/run" in runs else [*problems, ".github/workflows: none runs .ci/run"]
