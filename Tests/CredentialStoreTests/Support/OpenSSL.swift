import CredentialStore
import Foundation
import Testing

/// Makes real key and certificate files with the openssl command.
final class OpenSSL {
    static let path = "/usr/bin/openssl"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }
    static let missing: Comment = "/usr/bin/openssl is not installed"

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Arguments are split at spaces; file names are relative to the folder.
    func run(_ arguments: String) throws {
        try run(arguments.split(separator: " ").map(String.init))
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.path)
        process.currentDirectoryURL = folder
        process.arguments = arguments
        let errors = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let message = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(
            process.terminationStatus == 0, "openssl \(arguments): \(String(decoding: message, as: UTF8.self))")
    }

    /// Extensions that Apple puts into push certificates, in openssl's configuration language.
    enum Extension: String, Sendable {
        case sandbox = "1.2.840.113635.100.6.3.1 = ASN1:NULL"
        case production = "1.2.840.113635.100.6.3.2 = ASN1:NULL"
        case topics = "1.2.840.113635.100.6.3.6 = ASN1:SEQUENCE:topics"
        case malformedTopics = "1.2.840.113635.100.6.3.6 = ASN1:NULL"
    }

    /// Makes `<name>.key` and a self-signed `<name>.pem`.
    func certificate(
        _ name: String, subject: String, extensions: [Extension], topics: [String] = [], newKey: String = "ec"
    ) throws {
        let list = topics.enumerated().map { index, topic in
            "topic\(index) = UTF8:\(topic)\nkinds\(index) = SEQUENCE:kinds"
        }
        let configuration = """
            [req]
            distinguished_name = subject
            x509_extensions = extensions
            [subject]
            [extensions]
            basicConstraints = CA:FALSE
            \(extensions.map(\.rawValue).joined(separator: "\n"))
            [topics]
            \(list.joined(separator: "\n"))
            [kinds]
            kind = UTF8:app
            """
        try write(configuration, to: "\(name).cnf")
        let key = newKey == "ec" ? ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"] : [newKey]
        try run(
            [
                "req", "-x509", "-nodes", "-days", "365", "-config", "\(name).cnf", "-subj", subject, "-keyout",
                "\(name).key", "-out", "\(name).pem", "-newkey",
            ] + key)
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    func file(_ name: String) throws -> CredentialFile {
        try CredentialFile(path: folder.appending(path: name).path)
    }
}
