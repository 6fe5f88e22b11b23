package import CredentialFormats
package import PushModel

/// The topics and environments of an APNs certificate.
///
/// Apple documents some of the extensions ("Establishing a certificate-based connection to APNs"). The other extensions
/// are known from issued certificates.
package struct PushCertificate: Sendable, Hashable {
    /// The kinds of push (`app`, `voip`, `complication`, …) that the certificate names, by topic.
    package let topicKinds: [String: [String]]
    package let environments: Set<PushEnvironment>

    private static let sandboxExtension = "1.2.840.113635.100.6.3.1"
    private static let productionExtension = "1.2.840.113635.100.6.3.2"
    private static let voipExtension = "1.2.840.113635.100.6.3.4"
    private static let topicsExtension = "1.2.840.113635.100.6.3.6"

    /// The prefixes of common names. In certificates with one topic they state the kind of push, and in older ones also
    /// the environment.
    private static let commonNames: [(prefix: String, kind: String, environments: Set<PushEnvironment>)] = [
        ("Apple Development IOS Push Services: ", "app", [.sandbox]),
        ("Apple Production IOS Push Services: ", "app", [.production]),
        ("Apple Push Services: ", "app", [.sandbox, .production]),
        ("VoIP Services: ", "voip", [.sandbox, .production]),
        ("Website Push ID: ", "website", [.production]),
        ("Pass Type ID: ", "pass", [.production]),
        ("APSP:", "mdm", [.production]),
    ]

    /// Reads the topics and environments of a certificate.
    ///
    /// - Throws: `FileProblem` if the certificate is not a push certificate or its list of topics is malformed. The
    ///   description continues the words "the certificate".
    package init(_ certificate: Certificate) throws(FileProblem) {
        let commonName = certificate.commonName ?? ""
        let known = Self.commonNames.first { commonName.hasPrefix($0.prefix) }
        if let list = certificate.extensions[Self.topicsExtension] {
            guard let topics = TopicList.read(list) else {
                throw FileProblem("has a malformed list of topics (extension \(Self.topicsExtension))")
            }
            topicKinds = topics
        } else {
            let isVoIP = certificate.extensions[Self.voipExtension] != nil || known?.kind == "voip"
            if let userID = certificate.userID, !userID.isEmpty {
                topicKinds = [userID: [isVoIP ? "voip" : known?.kind ?? "app"]]
            } else if let known, commonName.count > known.prefix.count, known.kind != "mdm" {
                let name = String(commonName.dropFirst(known.prefix.count))
                // According to Apple, the topic of VoIP pushes is the bundle id followed by this suffix.
                topicKinds = [isVoIP && !name.hasSuffix(".voip") ? name + ".voip" : name: [known.kind]]
            } else {
                throw FileProblem("names no topic: it is not a push certificate")
            }
        }
        var environments: Set<PushEnvironment> = []
        if certificate.extensions[Self.sandboxExtension] != nil { environments.insert(.sandbox) }
        if certificate.extensions[Self.productionExtension] != nil { environments.insert(.production) }
        if environments.isEmpty { environments = known?.environments ?? [] }
        guard !environments.isEmpty else {
            throw FileProblem("names no push environment: it is not a push certificate")
        }
        self.environments = environments
    }
}
