import Foundation
import PushModel
import SwiftASN1
import X509

/// What an APNs certificate is good for.
///
/// Apple documents none of it; the extensions are described in its "Establishing a certificate-based
/// connection to APNs" and by what issued certificates contain.
struct CertificateFacts {
    let topics: Set<String>
    let environments: Set<PushEnvironment>
    /// The subject's organizational unit.
    let team: String?
    let commonName: String
    let notBefore: Timestamp
    let notAfter: Timestamp

    private static let sandboxExtension: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 1]
    private static let productionExtension: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 2]
    private static let topicsExtension: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 6]
    private static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]

    /// How older certificates say it, in the common name.
    private static let commonNamePrefixes: [(prefix: String, environments: Set<PushEnvironment>)] = [
        ("Apple Development IOS Push Services: ", [.sandbox]),
        ("Apple Production IOS Push Services: ", [.production]),
        ("Apple Push Services: ", [.sandbox, .production]),
        ("VoIP Services: ", [.sandbox, .production]),
        ("Website Push ID: ", [.production]),
        ("Pass Type ID: ", [.production]),
    ]

    /// - Throws: a text that says what is missing or malformed.
    init(_ certificate: Certificate) throws(CertificateProblem) {
        func subject(_ type: ASN1ObjectIdentifier) -> String? {
            for name in certificate.subject {
                for attribute in name where attribute.type == type { return String(attribute.value) }
            }
            return nil
        }
        commonName = subject(.RDNAttributeType.commonName) ?? ""
        team = subject(.RDNAttributeType.organizationalUnitName)
        notBefore = Timestamp(milliseconds: Int64(certificate.notValidBefore.timeIntervalSince1970 * 1000))
        notAfter = Timestamp(milliseconds: Int64(certificate.notValidAfter.timeIntervalSince1970 * 1000))

        let name = commonName
        let known = Self.commonNamePrefixes.first { name.hasPrefix($0.prefix) }
        if let list = certificate.extensions[oid: Self.topicsExtension] {
            topics = try Self.topics(inExtension: list.value)
        } else if let userID = subject(Self.userID), !userID.isEmpty {
            topics = [userID]
        } else if let known {
            topics = [String(name.dropFirst(known.prefix.count))]
        } else {
            throw CertificateProblem("names no topic: it is not a push certificate")
        }

        var environments: Set<PushEnvironment> = []
        if certificate.extensions[oid: Self.sandboxExtension] != nil { environments.insert(.sandbox) }
        if certificate.extensions[oid: Self.productionExtension] != nil { environments.insert(.production) }
        if environments.isEmpty { environments = known?.environments ?? [] }
        guard !environments.isEmpty else {
            throw CertificateProblem("names no push environment: it is not a push certificate")
        }
        self.environments = environments
    }

    /// Topic and kinds of push alternate in one SEQUENCE; the kinds don't matter here.
    private static func topics(inExtension value: ArraySlice<UInt8>) throws(CertificateProblem) -> Set<String> {
        let malformed = CertificateProblem("has a malformed list of topics (extension \(topicsExtension))")
        guard let node = try? DER.parse(value), case .constructed(let children) = node.content else { throw malformed }
        var topics: Set<String> = []
        for child in children where child.identifier == .utf8String {
            guard let topic = try? ASN1UTF8String(derEncoded: child) else { throw malformed }
            topics.insert(String(topic))
        }
        if topics.isEmpty { throw malformed }
        return topics
    }
}

/// The predicate of a sentence whose subject is the file.
struct CertificateProblem: Error {
    let text: String
    init(_ text: String) { self.text = text }
}
