import Foundation
import TestSupport
import Testing

/// Certificates of a test authority, in files that the broker can read.
struct BrokerCertificates {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-tls-\(UUID().uuidString)")

    init() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(Self.authority.utf8).write(to: folder.appending(path: "authority"))
        try Data().write(to: folder.appending(path: "issued"))
        for name in ["ca", "other-ca"] {
            try await openssl("req -x509 \(Self.newKey) -days 2 -subj /CN=\(name) -keyout \(name).key -out \(name).pem")
        }
        try await issue("localhost", for: "DNS:localhost")
        try await issue("address", for: "IP:127.0.0.1")
        try await issue("expired", for: "DNS:localhost", valid: "-startdate 200101000000Z -enddate 200102000000Z")
        try await issue("client", for: "DNS:client")
        try await issue("martlet-worker", for: "DNS:martlet-worker")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path(file))
        }
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func delete() { try? FileManager.default.removeItem(at: folder) }

    private static let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"

    /// The configuration of `openssl ca`, which can issue a certificate that has already expired. Whether
    /// `openssl x509 -req` can do so depends on the version of OpenSSL.
    private static let authority = """
        [ca]
        default_ca = test
        [test]
        database = issued
        new_certs_dir = .
        rand_serial = yes
        default_md = sha256
        policy = names
        [names]
        commonName = supplied
        """

    private func issue(_ name: String, for subject: String, valid: String = "-days 2") async throws {
        try Data("subjectAltName=\(subject)\n".utf8).write(to: folder.appending(path: "names"))
        try await openssl("req \(Self.newKey) -subj /CN=\(name) -keyout \(name).key -out \(name).csr")
        try await openssl(
            "ca -batch -notext -config authority -in \(name).csr -cert ca.pem -keyfile ca.key \(valid) -extfile names"
                + " -out \(name).pem")
    }

    private func openssl(_ arguments: String) async throws {
        let command = ["/usr/bin/openssl"] + arguments.split(separator: " ").map(String.init)
        let finished = try await Subprocess.run(command, in: folder)
        try #require(finished.status == 0, "\(command) \(finished)")
    }
}
