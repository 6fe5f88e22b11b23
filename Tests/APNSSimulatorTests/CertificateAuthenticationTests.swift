import APNSSimulator
import Foundation
import SimulatorTestSupport
import Testing

@Suite struct CertificateAuthenticationTests {
    @Test func allowsAllStreamsWithCertificateAlone() async throws {
        try await withSimulator { simulator in
            let certificate = try simulator.certificateAuthority.issueClientCertificate(app: "com.example")
            let client = try await PushClient.connect(to: simulator, certificate: certificate)
            #expect(try await client.streamLimit() == 1_000)
            #expect(try await client.push(fields: [("apns-topic", "com.example")]).status == 200)
            #expect(try await client.push(fields: [("apns-topic", "com.example.voip")]).status == 200)
            let other = try await client.push(fields: [("apns-topic", "com.other")])
            #expect(other.body == #"{"reason":"TopicDisallowed"}"#)
            let none = try await client.push(fields: [])
            #expect(none.body == #"{"reason":"MissingTopic"}"#)
            // Apple documents that the authorization field is ignored if the client presents a certificate.
            let withToken = try await client.push(
                fields: [("apns-topic", "com.example"), ("authorization", "bearer nonsense")])
            #expect(withToken.status == 200)
        }
    }

    @Test func usesSingleTopicAsDefault() async throws {
        try await withSimulator { simulator in
            let certificate = try simulator.certificateAuthority.issueClientCertificate(
                app: "com.example", topics: ["com.example"])
            let client = try await PushClient.connect(to: simulator, certificate: certificate)
            #expect(try await client.push(fields: []).status == 200)
        }
    }

    @Test(arguments: SimulatorConfiguration.Environment.allCases)
    func rejectsCertificateOfOtherEnvironment(environment: SimulatorConfiguration.Environment) async throws {
        try await withSimulator({ $0.environment = environment }) { simulator in
            for issued in SimulatorConfiguration.Environment.allCases {
                let certificate = try simulator.certificateAuthority.issueClientCertificate(
                    app: "com.example", environments: [issued])
                let client = try await PushClient.connect(to: simulator, certificate: certificate)
                let response = try await client.push(fields: [("apns-topic", "com.example")])
                if issued == environment {
                    #expect(response.status == 200)
                } else {
                    #expect(response.body == #"{"reason":"BadCertificateEnvironment"}"#)
                }
            }
        }
    }

    @Test func rejectsForeignAndExpiredCertificates() async throws {
        try await withSimulator { simulator in
            let expired = try simulator.certificateAuthority.issueClientCertificate(
                app: "com.example",
                validity: .init(
                    notBefore: Date(timeIntervalSinceNow: -7_200), notAfter: Date(timeIntervalSinceNow: -3_600)))
            let foreign = try CertificateAuthority().issueClientCertificate(app: "com.example")
            for certificate in [expired, foreign] {
                await #expect(throws: PushClient.Lost.self) {
                    try await PushClient.connect(to: simulator, certificate: certificate)
                }
            }
            #expect(await simulator.counters().failedHandshakes == 2)
            #expect(await simulator.counters().connections == 0)
        }
    }
}
