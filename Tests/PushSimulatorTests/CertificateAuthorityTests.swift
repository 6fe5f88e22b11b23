import Foundation
import PushSimulator
import TestSupport
import Testing

@Suite struct CertificateAuthorityTests {
    @Test func issuesServerCertificateForRequestedNames() async throws {
        let authority = try CertificateAuthority()
        let issued = try authority.issueServerCertificate(names: ["shop.test", "*.push.test", "10.1.2.3", "fe80::1"])
        let shown = try await Subprocess.run(
            ["/usr/bin/openssl", "x509", "-noout", "-ext", "subjectAltName"], input: issued.certificatePEM)
        for name in [
            "DNS:localhost", "IP Address:127.0.0.1", "IP Address:0:0:0:0:0:0:0:1", "DNS:shop.test", "DNS:*.push.test",
            "IP Address:10.1.2.3", "IP Address:FE80:0:0:0:0:0:0:1",
        ] {
            #expect(shown.output.contains(name), "\(name): \(shown)")
        }
    }

    @Test(arguments: ["", "a b", "a..b", "*", "https://a", "a:1", "é.test"])
    func namesInvalidHostname(name: String) throws {
        let authority = try CertificateAuthority()
        let error = #expect(throws: SimulatorError.self) { try authority.issueServerCertificate(names: [name]) }
        #expect(error?.description.contains("'\(name)'") == true)
    }

    @Test func keepsAuthorityAndPrivateKeyAcrossRestart() throws {
        let path = FileManager.default.temporaryDirectory.path + "/push-simulator-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = AuthorityDirectory(path: path)
        let first = try directory.loadOrCreate().certificatePEM
        #expect(try directory.loadOrCreate().certificatePEM == first)
        #expect(try String(contentsOfFile: directory.certificatePath, encoding: .utf8) == first)
        let mode = try FileManager.default.attributesOfItem(atPath: path + "/ca-key.pem")[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func reportsFileOfDamagedAuthority() throws {
        let path = FileManager.default.temporaryDirectory.path + "/push-simulator-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = AuthorityDirectory(path: path)
        _ = try directory.loadOrCreate()
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path + "/ca-key.pem"))
        let error = #expect(throws: SimulatorError.self) { try directory.loadOrCreate() }
        #expect(error?.description.contains("ca-key.pem") == true)
    }

    @Test func reportsDirectoryThatCannotBeCreated() {
        let error = #expect(throws: SimulatorError.self) {
            try AuthorityDirectory(path: "/dev/null/simulator").loadOrCreate()
        }
        #expect(error?.description.contains("/dev/null/simulator") == true)
    }
}
