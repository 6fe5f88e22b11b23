"""Checks that each rule can fail, because a rule that never fails verifies nothing."""
import pathlib
import tempfile

from . import alerts, deployment, documents, events, forge, problems, rooms, sources, units, words

ROOT = pathlib.Path(__file__).resolve().parents[3]
UNIT = "[Service]\nExecStart=/usr/bin/true\n"
REASONS = {"Sources/DeliveryPipeline/A.swift": 'let a = "GivenUp"', "Sources/HornOutput/A.swift": 'let a = "TooBig" // "Quiet"',
           "Tests/HornReasonTests.swift": '(400, "TooOld", .refused)'}
ERRORS = ("## Reasons in outcomes\n### All outputs\n| `GivenUp` | `failed` |\n"
          "### Horn\n| `TooBig` | `rejected` |\n| `TooOld` | `rejected` |\n")
EVENT_TABLE = "## Events in the log\n| `horn.blown` | warning | … blows | so |\n"
EVENTS = {"Sources/HornOutput/Events.swift": 'static let blown = EventName("horn.blown", repeats: true)',
          "Sources/HornOutput/A.swift": 'logger.warning(\n    .blown, "\\(name(of: it)) blows", metadata: [:])',
          "docs/errors.md": EVENT_TABLE}
PROBLEMS = {"Sources/Observability/Problems/ProblemKind.swift": 'case hornFails = "horn.failed"',
            "Sources/HornOutput/Events.swift": 'static let a = EventName("horn.failed")\nstatic let b = EventName("horn.resumed")',
            "docs/problems.md": "| `horn.failed` | ours |\n"}
METRICS = {"Sources/A/MetricFamily+A.swift": 'static let a = Self("a", .gauge, "A.")\nstatic let b = Self(\n    "b_total", .counter, "B.")'}
ALERT = ("groups: [{name: a, rules: [{alert: Low, expr: martlet_a == 0, labels: {severity: page}, "
         "annotations: {runbook_url: 'docs/runbook.md#low'}}]}]")
RUNBOOK = "### Low\n- **Meaning**: a\n- **Impact**: b\n- **Look at**: c\n- **Do**: d\n"
ALERTS = METRICS | {"deploy/prometheus/martlet.rules.yaml": ALERT, "docs/runbook.md": RUNBOOK,
                    "deploy/prometheus/a.test.yaml": "  - name: Low fires\n  - name: Low is quiet\n"}
FIELDS = {"Sources/PushModel/Job/JobField.swift": 'case .a: "a"\ncase .bC: "b_c"',
          "docs/schema/job.schema.json": '{"properties": {"a": {}, "b_c": {}}}', "docs/publish.md": "| `a` | e |\n| `b_c` | f |\n"}
# Folder A of a target uses folder B.
ROOMS = {"Sources/PushModel/A/Horn.swift": "struct Horn { let bell: Bell }", "Sources/PushModel/B/Bell.swift": "struct Bell {}"}
TARGETS = "# A\n\n## Targets\n\n" + "".join(f"| `{name}` | it |\n" for name in sources.ORDER if name != "martlet-bench")
SETTINGS = {"docs/configuration.md": "Secret settings (`amqp.url`, each `proxy`)\n| `amqp.url` | a |\n| `http.listen` | b |\n"}
COMPOSE = SETTINGS | {"deploy/compose.yaml": "services: {a: {image: '${MARTLET_IMAGE:-b}', volumes: ['./c:/c', 'd:/d']}}\nvolumes: {d: }\n",
                      "deploy/c": "", "docs/schema/job.schema.json": '{"properties": {"id": {}}}', "deploy/compose/jobs/a.json": '{"id": "a"}'}
EMPTY_SCHEMA = '{"type": "object", "required": ["id"]}'

# Each case has a rule, the files of a tree that breaks it, and the files of a tree that does not.
CASES = [
    (sources.imports, {"Sources/PushModel/A.swift": "import APNSOutput"}, {"Sources/APNSOutput/A.swift": "import PushModel"}),
    (sources.imports, {"Sources/New/A.swift": "let a = 1"}, {"Sources/PushModel/A.swift": "import Foundation"}),
    (sources.imports, {"Sources/DeliveryPipeline/A.swift": "import APNSOutput"},
     {"Sources/MartletOutputs/A.swift": "public import APNSOutput"}),
    *((rooms.pairs, ROOMS | broken, ROOMS | fine) for broken, fine in [
        ({"Sources/PushModel/B/C.swift": "let a = Horn()"}, {"Sources/PushModel/A/C.swift": "let a = Horn()"}),
        ({"Sources/PushModel/B/C.swift": "extension Horn {}"}, {"Sources/PushModel/Hall.swift": "let a = Horn(), b = Bell()"}),
        ({"Sources/PushModel/B/C.swift": 'let a = b("/* ", Horn.c, " */")'}, {"Sources/PushModel/B/C.swift": 'let a = """\n Horn\n """ // Horn'}),
        ({"Sources/PushModel/B/C/D.swift": 'let a = "\\(b(Horn.c))"'}, {"Sources/PushModel/B/C/D.swift": "let a: Drum.Horn"}),
        ({"Sources/PushModel/B/C.swift": "let a: Horn"}, {"Sources/PushModel/B/C.swift": "struct Drum {\n    enum Horn {}\n    let a: Horn\n}"})]),
    (rooms.pairs, {name.replace("PushModel", "PushModel/C"): text for name, text in ROOMS.items()} | {"Sources/PushModel/C/B/D.swift": "let a: Horn"},
     {name.replace("PushModel", "DeliveryPipeline"): text for name, text in ROOMS.items()} | {"Sources/DeliveryPipeline/B/C.swift": "let a: Horn"}),
    (sources.neutrality, {"Sources/PushModel/A.swift": "// as APNs does"},
     {"Sources/APNSOutput/A.swift": "// as APNs does", "Sources/PushModel/Job/Job.swift": 'static let defaultOutput = "apns"'}),
    (sources.imports, {"Sources/AMQPClient/A.swift": "import CRabbitMQ"}, {"Sources/AMQPClient/A.swift": "internal import CRabbitMQ"}),
    (sources.imports,
     {"Sources/AMQPClient/A.swift": "internal import CLibPQ", "Sources/PostgresClient/A.swift": "internal import CLibPQ"},
     {"Sources/PostgresClient/A.swift": "internal import CLibPQ", "Sources/PostgresClient/B.swift": "internal import CLibPQ"}),
    (sources.locks, {"Tests/ATests/A.swift": "import struct Synchronization.Mutex"},
     {"Tests/ATests/A.swift": "import Foundations", "Sources/Foundations/A.swift": "@_exported public import Synchronization"}),
    (sources.reasons, {"Sources/PushModel/A.swift": "let a = try! b()"}, {"Sources/PushModel/A.swift": 'let a = "try! b()"'}),
    (sources.reasons, {"Sources/PushModel/A.swift": "fatalError()"},
     {"Sources/PushModel/A.swift": "// why: the compiler can't see that all cases are above.\nfatalError()"}),
    (sources.reasons, {"Sources/PushModel/A.swift": "_read { yield a }"}, {"Sources/PushModel/A.swift": "get { a }"}),
    (sources.reasons, {"Sources/PushModel/A.swift": "// swift-format-ignore: NeverForceUnwrap\na!"},
     {"Sources/PushModel/A.swift": "// why: set in init.\n// swift-format-ignore: NeverForceUnwrap\na!"}),
    (sources.reasons, {"Sources/PushModel/A.swift": "final class A: @unchecked Sendable {}"},
     {"Sources/PushModel/A.swift": "// why: immutable.\nfinal class A: @unchecked Sendable {}"}),
    (sources.terminal, {"Sources/MartletCommand/A.swift": "    print(line)"},
     {"Sources/MartletCommand/A.swift": "import CommandSupport\n    print(line)"}),
    (sources.terminal, {"Sources/martlet/A.swift": "Swift.print(job.id)"}, {"Sources/martlet/A.swift": "import CommandSupport\nprint(job.id)"}),
    (sources.terminal, {"Sources/martlet/A.swift": "FileHandle.standardError.write(data)"},
     {"Sources/CommandSupport/Printing.swift": "FileHandle.standardError.write(data)"}),
    *((sources.durations, {"Tests/A.swift": line}, {"Tests/A.swift": "#expect(ContinuousClock.now - start >= .seconds(3))"}) for line in [
        "#expect(ContinuousClock.now - start < .seconds(3))", "let took = clock.now - start\n#expect(took <= .seconds(3))",
        "#expect(abs(at.milliseconds - Timestamp.now.milliseconds) < 60_000)"]),
    (sources.durations, {"Tests/A.swift": "#expect(outcomes.allSatisfy { (50...60).contains($0.retryAfterSeconds) })"},
     {"Tests/A.swift": "#expect(outcomes.allSatisfy { (60 - elapsed...60).contains($0.retryAfterSeconds) })"}),
    (sources.durations, {"Tests/A.swift": "#expect((20..<25).contains(fleet[2].silentSeconds))"},
     {"Tests/A.swift": "#expect((1...60).contains(outcome.retryAfterSeconds))"}),
    (sources.module_names, {"Sources/PushModel/A.swift": "public struct PushModel {}"},
     {"Sources/PushModel/A.swift": "struct PushModelError {}", "Sources/Store/A.swift": "extension PushModel {}"}),
    (sources.type_sizes,
     {"Sources/PushModel/A.swift": "struct A {\n" + "    let a = 1\n" * 200 + "}",
      "Sources/PushModel/A+B.swift": "extension A {\n" + "    func b() {}\n" * 57 + "}"},
     {"Sources/PushModel/A.swift": "struct A {\n" + "    let a = 1\n\n    // Why.\n" * 200 + "}",
      "Sources/PushModel/A+B.swift": "extension A {\n" + "    func b() {}\n" * 56 + "}",
      "Sources/DeliveryPipeline/A.swift": "struct A {\n" + "    let a = 1\n" * 200 + "}"}),
    (sources.sizes, {"Sources/PushModel/A.swift": "//\n" * 401}, {"Sources/PushModel/A.swift": "//\n" * 400}),
    (forge.workflows, {".github/workflows/a.yml": "jobs: {a: {timeout-minutes: 1, steps: [{run: make test}]}}", ".ci/run": ""},
     {".github/workflows/a.yml": "jobs: {a: {timeout-minutes: 1, steps: [{run: .ci/run}]}}", ".ci/run": ""}),
    (documents.links, {"README.md": "![a](docs/a.svg)"}, {"README.md": "![a](docs/a.svg)", "docs/a.svg": ""}),
    (units.exposure, {"deploy/systemd/a.service": UNIT}, {"deploy/systemd/a.service": (ROOT / "deploy" / "systemd" / "martlet.service").read_text()}),
    (documents.links, {"README.md": "[a](docs/a.md)"}, {"README.md": "[a](docs/a.md)", "docs/a.md": ""}),
    (documents.links, {"README.md": "[a](#b-c)"}, {"README.md": "# B, `c`\n[a](#b-c)"}),
    (documents.schemas, {"docs/schema/a.json": '{"type": "thing"}'}, {"docs/schema/a.json": EMPTY_SCHEMA}),
    (documents.examples,
     {"README.md": '```json\n{"channel": "a"}\n```\n```json\n{"kind": "sent", "id": 1}\n```\n',
      "docs/schema/job.schema.json": EMPTY_SCHEMA, "docs/schema/event.schema.json": EMPTY_SCHEMA},
     {"README.md": '```json\n{"recipients": [], "id": 1}\n```\n```json\n{"kind": "sent", "id": 1}\n```\n',
      "docs/schema/job.schema.json": EMPTY_SCHEMA, "docs/schema/event.schema.json": EMPTY_SCHEMA}),
    (documents.asyncapi, {"docs/asyncapi.yaml": 'asyncapi: 3.0.0\nchannels: {a: {$ref: "#/components/a"}}'},
     {"docs/asyncapi.yaml": "asyncapi: 3.0.0"}),
    (documents.asyncapi, {"docs/asyncapi.yaml": "asyncapi: 2.6.0"}, {"docs/asyncapi.yaml": "asyncapi: 3.0.0"}),
    (documents.openapi, {"docs/a.openapi.yaml": "openapi: 3.1.0\npaths: {/: {post: {operationId: a, responses: {}}}}"},
     {"docs/a.openapi.yaml": "openapi: 3.1.0\npaths: {/: {post: {operationId: a, responses: {'200': {}}}}}"}),
    (documents.openapi, {"docs/a.openapi.yaml": 'openapi: 3.1.0\ncomponents: {$ref: "#/components/a"}'},
     {"docs/a.openapi.yaml": "openapi: 3.1.0"}),
    (documents.openapi, {"docs/a.openapi.yaml": "openapi: 3.0.0"}, {"docs/a.openapi.yaml": "openapi: 3.1.0"}),
    (documents.reasons, REASONS | {"docs/errors.md": ERRORS.replace("`TooBig`", "`TooBig`, `TooSmall`")},
     REASONS | {"docs/errors.md": ERRORS}),
    (documents.reasons, REASONS | {"docs/errors.md": ERRORS.replace("`GivenUp`", "none")}, REASONS | {"docs/errors.md": ERRORS}),
    (documents.reasons, REASONS | {"docs/errors.md": ERRORS.replace("`TooOld`", "none")}, REASONS | {"docs/errors.md": ERRORS}),
    (documents.metrics, METRICS | {"docs/monitoring.md": "| `martlet_a`, `martlet_b_total{c}` | d |\n| `martlet_e` | f |\n"},
     METRICS | {"docs/monitoring.md": "| `martlet_a`, `martlet_b_total{c}` | d |\n"}),
    (documents.metrics, METRICS | {"docs/monitoring.md": "| `martlet_a` | d |\n"},
     METRICS | {"docs/monitoring.md": "| `martlet_a` | d |\n| `martlet_b_total` | d |\n"}),
    *((alerts.runbook, ALERTS | broken, ALERTS) for broken in [
        {"docs/runbook.md": RUNBOOK.replace("Low", "High")},
        {"docs/runbook.md": RUNBOOK.replace("**Do**", "Do")},
        {"deploy/prometheus/martlet.rules.yaml": ALERT.replace("martlet_a", "martlet_e")},
        {"deploy/prometheus/martlet.rules.yaml": ALERT.replace("#low", "#high")},
        {"deploy/prometheus/martlet.rules.yaml": ALERT.replace("docs/runbook.md#low", "https://docs.example.com/runbook.md#low")},
        {"deploy/prometheus/martlet.rules.yaml": ALERT.replace("severity: page", "severity: wake")},
        {"deploy/prometheus/a.test.yaml": "  - name: Low fires\n"}]),
    (documents.job_fields, FIELDS | {"docs/schema/job.schema.json": '{"properties": {"a": {}}}'}, FIELDS),
    (documents.job_fields, FIELDS | {"docs/schema/job.schema.json": '{"properties": {"a": {}, "b_c": {}, "d": {}}}'}, FIELDS),
    (documents.job_fields, FIELDS | {"docs/publish.md": "| `a` | e |\n"}, FIELDS),
    (sources.targets, {"docs/design.md": TARGETS.replace("| `Foundations` | it |\n", "")}, {"docs/design.md": TARGETS}),
    *((events.events, EVENTS | broken, EVENTS) for broken in [
        {"docs/errors.md": EVENT_TABLE.replace("horn.blown", "horn.lost")},
        {"docs/errors.md": EVENT_TABLE.replace("warning", "notice")},
        {"docs/errors.md": EVENT_TABLE.replace("blows", "is blown")},
        {"Sources/HornOutput/B.swift": 'logger.error("It is broken")'},
        {"Sources/HornOutput/B.swift": 'logger.warning(.blown, "Another sentence")'},
        {"Sources/AOutput/Events.swift": 'static let blown = EventName("horn.blown")'}]),
    *((problems.kinds, PROBLEMS | broken, PROBLEMS) for broken in [
        {"docs/problems.md": ""}, {"docs/problems.md": PROBLEMS["docs/problems.md"] + "| `horn.lost` | ours |\n"},
        {"Sources/HornOutput/Events.swift": 'static let a = EventName("horn.failed")'},
        {"Sources/BellOutput/Events.swift": 'static let a = EventName("bell.failed")'}]),
    *((deployment.variables, COMPOSE | {"deploy/chart/templates/a.yaml": f"value: MARTLET_{name}"},
       COMPOSE | {"deploy/chart/templates/a.yaml": "MARTLET_AMQP_URL_FILE, MARTLET_HTTP_LISTEN, MARTLET_CONFIG"})
      for name in ("HTTP_LISTN", "HTTP_LISTEN_FILE")),
    *((deployment.compose, COMPOSE | broken, COMPOSE) for broken in [
        {"deploy/compose.yaml": "services: {a: {volumes: ['./e:/e']}}"}, {"deploy/compose.yaml": "services: {a: {volumes: ['e:/e']}}"},
        {"deploy/compose.yaml": "services: {a: {depends_on: {b: }}}"}, {"README.md": "docker compose up --attach b"}, {"deploy/compose/jobs/a.json": '{"di": "a"}'}]),
    (words.comments, {"Sources/A/A.swift": "/// It is an app."}, {"Sources/A/A.swift": "/// The app.\n/// It is one of many."}),
    (words.comments, {"Tests/A.swift": "/// Sends.\n/// - Returns: nil: no answer."}, {"Tests/A.swift": "/// Sends.\n/// - Returns: the answer."}),
    (words.sentences, {"docs/a.md": "A job. Nothing\nis lost.\n"}, {"docs/a.md": "A job.\n```sh\nWhat\n```\nNo job is lost. Not one.\n"}),
    (words.sentences, {"docs/a.md": "| a |\n|---|\n| What it is |\n"}, {"docs/a.md": "| a |\n|---|\n| The job |\n"}),
    (words.sentences, {"docs/a.md": "## What it needs\n"}, {"docs/a.md": "## Requirements\n"}),
    (words.cells, {"docs/a.md": "| a | " + "word " * 31 + "|\n"}, {"docs/a.md": "| a | " + "word " * 30 + "|\n"}),
    # The addresses are split, because this file would break the rule otherwise.
    (documents.merges, {"docs/a.md": "a\n<<<<<<< HEAD\nb\n"}, {"docs/a.md": "a << b\n> c\n"}),
    (documents.hosts, {"scripts/a": "curl https" + "://push.apple.com/"}, {"scripts/a": "curl https://127.0.0.1:1/ http://a.test"}),
    (documents.hosts, {"Tests/A.swift": '"amqp' + '://user:word@broker.corp/"'}, {"Tests/A.swift": '"amqp://user:word@localhost/"'}),
]


def rules_can_fail(_root: pathlib.Path) -> list[str]:
    problems = []
    for number, (rule, bad, good) in enumerate(CASES):
        for files, expected in ((bad, True), (good, False)):
            with tempfile.TemporaryDirectory() as directory:
                root = pathlib.Path(directory)
                for name, text in files.items():
                    (root / name).parent.mkdir(parents=True, exist_ok=True)
                    (root / name).write_text(text)
                found = rule(root)
            if bool(found) != expected:
                problems.append(f"case {number}, {rule.__module__}.{rule.__name__}: {'silent' if expected else found}")
    return problems
