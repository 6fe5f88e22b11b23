public import PushSimulator
internal import SwiftASN1
internal import X509

extension CertificateAuthority {
    /// Issues a push certificate that resembles Apple's.
    ///
    /// - Parameters:
    ///   - app: the bundle id. It is the subject's user id and a part of its common name.
    ///   - topics: the permitted topics. If the list is empty, they are the bundle id itself and the bundle id with the
    ///     suffixes `.voip` and `.complication`.
    ///   - environments: the environments in which the certificate is valid.
    ///   - team: the subject's organizational unit, or `nil` to omit it.
    ///   - validity: the validity period.
    ///   - key: the kind of the key. Apple's certificates use RSA, and some clients support nothing else.
    public func issueClientCertificate(
        app: String, topics: [String] = [],
        environments: Set<SimulatorConfiguration.Environment> = Set(SimulatorConfiguration.Environment.allCases),
        team: String? = nil, validity: Validity = Validity(days: 397), key: KeyKind = .ec
    ) throws -> Issued {
        let topics = topics.isEmpty ? [app, app + ".voip", app + ".complication"] : topics
        let list = TopicList(
            topics: topics.map { name in
                // The kind is the last component of the topic, such as "voip" or "complication".
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
