import APNSOutput
import MartletConfiguration
import Observability
import PushModel
import Testing

@Suite struct OutputListCheckTests {
    private struct Named: OutputPlugin {
        var name = "pigeon"
        var keys: [String] = []
        var secrets: [String] = []
        var fields = EventFields(id: "pigeon_id")
        var account: String?

        var settings: [OutputSetting] {
            keys.map { OutputSetting($0, help: "") } + secrets.map { OutputSetting($0, isSecret: true, help: "") }
        }
        var eventFields: EventFields { fields }
        var credentials: (any OutputCredentials)? { account.map { Accounts(accountName: $0) } }

        func make(_ context: OutputContext) -> any Output { DiscardOutput(now: context.clock) }
    }

    private struct Accounts: OutputCredentials {
        let accountName: String

        func need(of job: Job) -> CredentialNeed { CredentialNeed(topic: "") }
        func uses(of app: String) -> [CredentialUse] { [] }
        func read(
            _ files: [CredentialFile], _ details: CredentialDetails, now: Timestamp
        ) throws -> NewCredential { throw SettingFault("", "") }
        func endpoint(of environment: PushEnvironment, _ settings: OutputSettings) -> String { "" }
        func check(_ question: CredentialQuestion, _ context: OutputContext) -> CredentialFinding {
            CredentialFinding(.unusable(""))
        }
    }

    private func faults(_ outputs: [any OutputPlugin]) -> [String] {
        OutputListCheck(outputs, accountWords: ["key", "topic"]).faults
    }

    @Test func acceptsInstalledOutputs() {
        #expect(faults([APNSPlugin(), DiscardPlugin(), Named(keys: ["loft", "loft.west_1"], account: "team")]) == [])
    }

    @Test func rejectsTooManyAccountNames() {
        let outputs = (1...9).map {
            Named(name: "output\($0)", keys: [], fields: EventFields(id: "a\($0)"), account: "a\($0)")
        }
        #expect(faults(Array(outputs.dropLast())) == [])
        #expect(faults(outputs) == ["outputs: 9 accountNames, more than 8; some must be shared"])
    }

    private static let rule = "must have up to 32 lower-case letters, digits and underscores, and begin with a letter"

    @Test(arguments: [
        (Named(name: "Pigeon"), ["output Pigeon: its name \(rule)"]),
        (
            Named(name: String(repeating: "p", count: 33)),
            ["output \(String(repeating: "p", count: 33)): its name \(rule)"]
        ),
        (Named(name: ""), ["output : its name \(rule)"]),
        (Named(name: "amqp"), ["output amqp: its name is reserved"]),
        (Named(name: "martlet"), ["output martlet: its name is reserved"]),
        (Named(name: "discard"), ["output discard: is given twice"]),
        (Named(keys: ["a..b"]), ["output pigeon: setting a..b: each of its words \(rule)"]),
        (Named(keys: ["loft", "loft"]), ["output pigeon: setting loft: its variable is also that of pigeon.loft"]),
        (Named(keys: ["a_b", "a.b"]), ["output pigeon: setting a.b: its variable is also that of pigeon.a_b"]),
        (
            Named(keys: ["ring_file"], secrets: ["ring"]),
            ["output pigeon: setting ring: its variable is also that of pigeon.ring_file"]
        ),
        (
            Named(name: "amqp_ca", keys: ["file"]),
            ["output amqp_ca: setting file: its variable is also that of amqp.ca_file"]
        ),
        (Named(fields: EventFields(id: "at")), ["output pigeon: event field at: every outcome already has this field"]),
        (
            Named(fields: EventFields(id: "target")),
            ["output pigeon: event field target: every outcome already has this field"]
        ),
        (Named(fields: EventFields(id: "x", uniqueID: "x")), ["output pigeon: event field x: is given twice"]),
        (Named(fields: EventFields(id: "x-id")), ["output pigeon: event field x-id: \(rule)"]),
        (Named(account: "key"), ["output pigeon: accountName key is already used by commands"]),
        (Named(account: "loft owner"), ["output pigeon: accountName loft owner \(rule)"]),
        (
            Named(name: "A", keys: ["B"], account: "key"),
            [
                "output A: its name \(rule)", "output A: setting B: each of its words \(rule)",
                "output A: accountName key is already used by commands",
            ]
        ),
    ])
    private func reportsEveryFault(plugin: Named, expected: [String]) {
        #expect(faults([DiscardPlugin(), plugin]) == expected)
    }
}
