/// A checker that validates requests in the same way as APNs. Apple documents the reasons, but not the order of the
/// checks. Here the credential is checked before the device token, so that only authenticated clients learn anything
/// about tokens.
package struct RequestChecker: Sendable {
    /// The relevant properties of the connection's client certificate.
    package struct Certificate: Sendable {
        package var isForThisEnvironment: Bool
        package var topicCount: Int

        package init(isForThisEnvironment: Bool, topicCount: Int) {
            self.isForThisEnvironment = isForThisEnvironment
            self.topicCount = topicCount
        }
    }

    private let certificate: Certificate?

    package init(certificate: Certificate?) {
        self.certificate = certificate
    }

    /// Returns the reason of the first failed check, or `nil` if all checks pass.
    package func check(_ request: RequestProperties) -> RejectionReason? {
        if request.hasDuplicates { return .duplicateHeaders }
        if !request.isPost { return .methodNotAllowed }
        switch request.path {
        case .other: return .badPath
        case .withoutToken: return .missingDeviceToken
        case .malformedToken, .device: break
        }
        return checkCredential(request) ?? checkFields(request) ?? checkTopic(request) ?? checkPayload(request)
            ?? checkToken(request)
    }

    private func checkCredential(_ request: RequestProperties) -> RejectionReason? {
        if let certificate {
            return certificate.isForThisEnvironment ? nil : .badCertificateEnvironment
        }
        switch request.authorization {
        case .absent: return .missingProviderToken
        case .refused(let reason): return reason
        case .accepted: return nil
        }
    }

    private func checkFields(_ request: RequestProperties) -> RejectionReason? {
        if case .invalid = request.messageID { return .badMessageID }
        if request.expirationIsInvalid { return .badExpirationDate }
        if case .invalid = request.priority { return .badPriority }
        if request.collapseIDIsTooLong { return .badCollapseID }
        switch (request.pushType, request.priority) {
        case (.invalid, _): return .invalidPushType
        case (.valid(.background), .valid(10)): return .badPriority
        default: return nil
        }
    }

    private func checkTopic(_ request: RequestProperties) -> RejectionReason? {
        switch request.topic {
        case .malformed:
            return .badTopic
        case .absent:
            // A certificate with a single topic implies this topic.
            return certificate?.topicCount == 1 ? nil : .missingTopic
        case .present(let suffix):
            guard request.topicIsAllowed else { return .topicDisallowed }
            guard case .valid(let type) = request.pushType else { return nil }
            if type == .location, certificate != nil { return .topicDisallowed }
            guard let expected = type.topicSuffix else { return nil }
            return suffix == expected ? nil : .topicDisallowed
        }
    }

    private func checkPayload(_ request: RequestProperties) -> RejectionReason? {
        if request.bodyLength == 0 { return .payloadEmpty }
        return request.bodyLength > Self.payloadLimit(request) ? .payloadTooLarge : nil
    }

    /// Returns the maximum size of a payload, in bytes (Apple: "Generating a remote notification").
    private static func payloadLimit(_ request: RequestProperties) -> Int {
        switch (request.pushType, request.topic) {
        case (.valid(.voip), _), (.absent, .present(.voip)): 5_120
        default: 4_096
        }
    }

    private func checkToken(_ request: RequestProperties) -> RejectionReason? {
        if case .malformedToken = request.path { return .badDeviceToken }
        return nil
    }
}
