import CredentialFormats
import Foundation
import PushModel
import TestSupport
import Testing

/// A root certificate, an intermediate like Apple's, and certificates that the intermediate issues. The openssl command
/// creates all of them.
final class SigningAuthority: Sendable {
    static let pass = "/UID=pass.com.example.coffee/CN=Pass Type ID: pass.com.example.coffee/OU=TEAM000001"
    static let website = "/UID=web.com.example.domain/CN=Website Push ID: web.com.example.domain/OU=TEAM000001"

    let files: SourceFiles

    init() async throws {
        files = try SourceFiles([
            "authority.cnf": Data("basicConstraints = critical,CA:TRUE\nkeyUsage = critical,keyCertSign\n".utf8),
            "leaf.cnf": Data(
                "basicConstraints = CA:FALSE\nkeyUsage = critical,digitalSignature\nextendedKeyUsage = 1.2.840.113635.100.4.14\n"
                    .utf8),
        ])
        try await run(
            ["req", "-x509", "-days", "30", "-subj", "/CN=Root", "-keyout", "root.key", "-out", "root.pem"] + Self.newEC
        )
        try await issue("g4", "/CN=Developer Relations/OU=G4", by: "root", as: "authority", Self.newEC)
        try await run(["x509", "-in", "g4.pem", "-outform", "DER", "-out", "g4.cer"])
    }

    func path(_ name: String) -> String { files.path(name) }

    /// Issues a certificate and writes `<name>.pem` and `<name>.key`.
    func issue(
        _ name: String, _ subject: String, by issuer: String = "g4", as kind: String = "leaf",
        _ key: [String] = ["-newkey", "rsa:2048", "-nodes"]
    ) async throws {
        try await run(["req", "-new", "-subj", subject, "-keyout", "\(name).key", "-out", "\(name).csr"] + key)
        try await run([
            "x509", "-req", "-in", "\(name).csr", "-CA", "\(issuer).pem", "-CAkey", "\(issuer).key", "-CAcreateserial",
            "-days", "30", "-extfile", "\(kind).cnf", "-out", "\(name).pem",
        ])
    }

    func run(_ arguments: [String]) async throws {
        let finished = try await Subprocess.run(["/usr/bin/openssl"] + arguments, in: files.folder)
        try #require(finished.status == 0, "openssl \(arguments): \(finished)")
    }

    func certificate(_ name: String) throws -> Certificate {
        try #require(try CredentialFile(path: path(name)).open(passphrase: nil).certificates.first)
    }

    func key(_ name: String) throws -> Secret {
        try #require(try CredentialFile(path: path(name)).open(passphrase: nil).keys.first).der
    }

    private static let newEC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
}
