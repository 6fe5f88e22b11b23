internal import Crypto
internal import SwiftASN1
internal import X509
internal import PushSimulator

/// The permissions that a client certificate grants.
package struct ClientIdentity: Sendable {
    package let topics: [String]
    package let environments: Set<SimulatorConfiguration.Environment>
    /// The SHA-256 hash of the certificate, in hex.
    let fingerprint: String
    private let topicBytes: [[UInt8]]

    package init(topics: [String], environments: Set<SimulatorConfiguration.Environment>, fingerprint: String = "") {
        self.fingerprint = fingerprint
        self.topics = topics
        self.environments = environments
        topicBytes = topics.map { Array($0.utf8) }
    }

    /// Reads the permissions in a certificate.
    ///
    /// - Throws: an error if the certificate cannot be decoded.
    package init(derEncodedCertificate bytes: [UInt8]) throws {
        let certificate = try Certificate(derEncoded: bytes)
        var environments: Set<SimulatorConfiguration.Environment> = []
        if certificate.extensions[oid: PushCertificateOID.sandbox] != nil { environments.insert(.sandbox) }
        if certificate.extensions[oid: PushCertificateOID.production] != nil { environments.insert(.production) }
        if environments.isEmpty { environments = Self.environmentsByName(certificate) }
        self.init(
            topics: try Self.topics(certificate), environments: environments,
            fingerprint: SHA256.hash(data: bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                .joined())
    }

    func covers(topic: UnsafeRawBufferPointer) -> Bool {
        topicBytes.contains { topic.equals($0) }
    }

    /// Returns the topics in the topics extension. Without the extension, returns the subject's user id, or else the
    /// part of the common name after the colon ("Apple Push Services: com.example.app").
    private static func topics(_ certificate: Certificate) throws -> [String] {
        if let list = certificate.extensions[oid: PushCertificateOID.topics] {
            return try TopicList(derEncoded: list.value).topics.map(\.name)
        }
        if let userID = value(of: PushCertificateOID.userID, in: certificate.subject) {
            return [userID]
        }
        guard let name = value(of: .NameAttributes.commonName, in: certificate.subject) else { return [] }
        return [name.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? name]
    }

    /// Returns the environments that the common name of an old certificate implies. Old certificates have no
    /// environment extensions.
    private static func environmentsByName(_ certificate: Certificate) -> Set<SimulatorConfiguration.Environment> {
        let name = value(of: .NameAttributes.commonName, in: certificate.subject) ?? ""
        return oldNames.first { name.hasPrefix($0.prefix) }?.environments ?? []
    }

    private static let oldNames: [(prefix: String, environments: Set<SimulatorConfiguration.Environment>)] = [
        ("Apple Development IOS Push Services: ", [.sandbox]),
        ("Apple Production IOS Push Services: ", [.production]),
        ("Apple Push Services: ", [.sandbox, .production]),
        ("VoIP Services: ", [.sandbox, .production]),
        ("Website Push ID: ", [.production]),
        ("Pass Type ID: ", [.production]),
    ]

    private static func value(of type: ASN1ObjectIdentifier, in name: DistinguishedName) -> String? {
        name.lazy.flatMap { $0 }.first { $0.type == type }.flatMap { String($0.value) }
    }
}
