import CredentialFormats
import Foundation
import PushModel
import TestSupport
import Testing

/// A folder for real key and certificate files, which the openssl command creates.
final class OpenSSL: Sendable {
    static let path = "/usr/bin/openssl"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }
    static let missing: Comment = "/usr/bin/openssl is not installed"

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs openssl with arguments that are separated by spaces. File names are relative to the folder.
    func run(_ arguments: String) throws {
        try run(arguments.split(separator: " ").map(String.init))
    }

    func run(_ arguments: [String]) throws {
        let finished = try Subprocess([Self.path] + arguments, in: folder).waitUntilExit()
        try #require(finished.status == 0, "openssl \(arguments): \(finished.errors)")
    }

    /// An extension that Apple puts into push certificates, in openssl's configuration language.
    enum Extension: Sendable {
        case sandbox, production, voip, malformedTopics
        case topics([(String, [String])])

        var lines: String {
            switch self {
            case .sandbox: "1.2.840.113635.100.6.3.1 = ASN1:NULL"
            case .production: "1.2.840.113635.100.6.3.2 = ASN1:NULL"
            case .voip: "1.2.840.113635.100.6.3.4 = ASN1:NULL"
            case .malformedTopics: "1.2.840.113635.100.6.3.6 = ASN1:NULL"
            case .topics: "1.2.840.113635.100.6.3.6 = ASN1:SEQUENCE:topics"
            }
        }

        /// The configuration sections that ``lines`` refers to.
        var sections: String {
            guard case .topics(let topics) = self else { return "" }
            let list = topics.enumerated().map { "topic\($0) = UTF8:\($1.0)\nkinds\($0) = SEQUENCE:kinds\($0)\n" }
            let kinds = topics.enumerated().map { index, topic in
                "[kinds\(index)]\n" + topic.1.enumerated().map { "kind\($0) = UTF8:\($1)\n" }.joined()
            }
            return "[topics]\n" + list.joined() + kinds.joined()
        }
    }

    /// Creates `<name>.key`, `<name>.csr` and `<name>.pem`. The certificate is self-signed unless an issuer is given.
    ///
    /// - Parameters:
    ///   - newKey: `ec` for P-256, or an argument of `-newkey`.
    ///   - dates: the validity, as in `20260101000000Z`, or `nil` for one year from now.
    ///   - isAuthority: whether the certificate may issue others.
    func certificate(
        _ name: String, subject: String, extensions: [Extension] = [], newKey: [String] = ["ec"],
        dates: (from: String, to: String)? = nil, issuer: String? = nil, isAuthority: Bool = false
    ) throws {
        let configuration = """
            [req]
            distinguished_name = subject
            [subject]
            [ca]
            default_ca = authority
            [authority]
            database = \(name).database
            new_certs_dir = .
            rand_serial = yes
            default_md = sha256
            policy = policy
            x509_extensions = extensions
            default_days = 365
            unique_subject = no
            [policy]
            UID = optional
            commonName = optional
            organizationalUnitName = optional
            [extensions]
            basicConstraints = CA:\(isAuthority ? "TRUE" : "FALSE")
            \(extensions.map(\.lines).joined(separator: "\n"))
            \(extensions.map(\.sections).joined(separator: "\n"))
            """
        try write(configuration, to: "\(name).cnf")
        try write("", to: "\(name).database")
        let key = newKey == ["ec"] ? ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"] : newKey
        try run(
            [
                "req", "-new", "-nodes", "-config", "\(name).cnf", "-subj", subject, "-keyout", "\(name).key", "-out",
                "\(name).csr", "-newkey",
            ] + key)
        let signer =
            issuer.map { ["-cert", "\($0).pem", "-keyfile", "\($0).key"] } ?? [
                "-selfsign", "-keyfile", "\(name).key",
            ]
        let validity = dates.map { ["-startdate", $0.from, "-enddate", $0.to] } ?? []
        try run(
            ["ca", "-batch", "-notext", "-config", "\(name).cnf", "-in", "\(name).csr", "-out", "\(name).pem"] + signer
                + validity)
    }

    func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

    func write(_ data: Data, to name: String) throws { try data.write(to: folder.appending(path: name)) }

    func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    func file(_ name: String) throws -> CredentialFile {
        try CredentialFile(path: path(name))
    }
}
