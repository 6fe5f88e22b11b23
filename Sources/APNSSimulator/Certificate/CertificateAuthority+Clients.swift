public import PushSimulator
internal import SwiftASN1
internal import X509

extension CertificateAuthority {
    /// A push certificate as Apple issues them.
    ///
    /// - Parameters:
    ///   - app: the bundle identifier, in the subject's user identifier and common name.
    ///   - topics: what it may push to; empty: the app, its `.voip` and its `.complication`.
    ///   - environments: where it may be used.
    ///   - team: in the subject's organizational unit; nil: it says none.
    ///   - validity: from when to when.
    ///   - key: what kind of key it is for; Apple's are of RSA, and some clients know no other.
    public func issueClientCertificate(
        app: String, topics: [String] = [],
        environments: Set<SimulatorConfiguration.Environment> = Set(SimulatorConfiguration.Environment.allCases),
        team: String? = nil, validity: Validity = Validity(days: 397), key: KeyKind = .ec
    ) throws -> Issued {
        let topics = topics.isEmpty ? [app, app + ".voip", app + ".complication"] : topics
        let list = TopicList(
            topics: topics.map { name in
                // What comes after the app's own name says what kind of push it is: "voip", "complication".
                TopicList.Topic(
                    name: name, kind: name == app ? "app" : String(name.split(separator: ".").last ?? "app"))
            })
        var encodedList = DER.Serializer()
        try encodedList.serialize(list)
        let null: [UInt8] = [5, 0]
        var extensions = try Certificate.Extensions {
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.clientAuth])
            Certificate.Extension(
                oid: PushCertificateOID.topics, critical: false, value: encodedList.serializedBytes[...])
        }
        let marks = [
            SimulatorConfiguration.Environment.sandbox: PushCertificateOID.sandbox,
            .production: PushCertificateOID.production,
        ]
        for (environment, mark) in marks where environments.contains(environment) {
            try extensions.append(Certificate.Extension(oid: mark, critical: false, value: null[...]))
        }
        var names = [
            RelativeDistinguishedName(.init(type: PushCertificateOID.userID, utf8String: app)),
            RelativeDistinguishedName(
                .init(type: .NameAttributes.commonName, utf8String: "Apple Push Services: \(app)")),
        ]
        if let team {
            names.append(
                RelativeDistinguishedName(.init(type: .NameAttributes.organizationalUnitName, utf8String: team)))
        }
        return try issue(subject: DistinguishedName(names), validity: validity, extensions: extensions, key: key)
    }
}
