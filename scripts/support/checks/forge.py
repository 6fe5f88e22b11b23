"""Rules about the forge's files: workflows run the project's own gate, and name existing programs."""
import pathlib

import yaml


def workflows(root: pathlib.Path) -> list[str]:
    """Checks that a workflow runs `.ci/run`, and that the programs in workflows' steps are in the repository."""
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
    return problems if ".ci/run" in runs else [*problems, ".github/workflows: no workflow runs .ci/run"]
