import Contract
import DeliveryPipeline
import Foundation
import PushModel
import TestSupport
import Testing

extension BrokersPageTests {
    /// A Python script that sends one message with Debian's AMQP 1.0 client.
    private static let proton = """
        import sys
        from proton import Message
        from proton.utils import BlockingConnection
        url, address, kind, text = sys.argv[1:]
        body, inferred = {
            "data": (text.encode(), True), "string": (text, False), "binary": (text.encode(), False),
            "map": ({"job": text}, False), "sequence": ([text], True),
        }[kind]
        connection = BlockingConnection(url, timeout=20, allowed_mechs="PLAIN")
        connection.create_sender(address).send(Message(id=kind, body=body, inferred=inferred, durable=True))
        connection.close()
        """

    private static var hasProton: Bool {
        FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/proton")
    }

    /// The chapter "AMQP 1.0" of docs/publish.md.
    @Test(.enabled(if: hasProton, "python3-qpid-proton is not installed; run scripts/install"))
    func acceptsJobsOfAMQP10Publishers() async throws {
        try await with { installation, servers in
            let version = try await servers.run("rabbitmqctl version", in: installation.folder)
            let isNative = (Int(version.prefix { $0 != "." }) ?? 0) >= 4
            if !isNative {
                try await servers.run("rabbitmq-plugins enable rabbitmq_amqp1_0", in: installation.folder)
            }
            let script = try installation.write(Self.proton, to: "publish.py")
            try await installation.withWorker { worker in
                try await installation.eventuallyConsumes(worker)
                for kind in ["data", "string", "binary", "map", "sequence"] {
                    let job = JobText("", app: Self.app, to: [Token.random()]).json
                        .replacing(#""id":"","#, with: "")
                    let sent = try await Subprocess.run(
                        [
                            "/usr/bin/python3", script, installation.servers.broker,
                            "\(isNative ? "/exchanges" : "/exchange")/\(installation.names.jobs)/urgent", kind, job,
                        ])
                    #expect(sent.status == 0, "\(kind): \(sent)")
                }
                try await installation.results.wait(for: 3)
                try await eventually("two jobs are rejected: \(installation.results.rejections) \(worker.errors)") {
                    installation.results.rejections.count == 2
                }
            }
            #expect(installation.results.tally == ["sent": 3])
            #expect(Set(installation.results.entries.keys.map(\.job)) == ["data", "string", "binary"])
            let problems = Dictionary(
                installation.results.rejections.map { ($0.job ?? "-", $0.errors?.first?.problem ?? "") },
                uniquingKeysWith: { first, _ in first })
            let cure = ", sent with AMQP 1.0: send the job as a data section (bytes), or as one string"
            #expect(problems == ["map": "is a map\(cure)", "sequence": "is an amqp-sequence\(cure)"])
        }
    }
}
