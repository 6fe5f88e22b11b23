import PushModel
import Testing
import WebPushOutput
import WebPushSimulator

/// Every answer from each service, over TLS.
@Suite struct AnswerTableTests {
    typealias Row = (verdict: Outcome.Verdict, reason: String)

    @Test(arguments: Persona.allCases, WebPushReason.allCases)
    func mapsEveryAnswerToOutcome(persona: Persona, fault: WebPushReason) async throws {
        try await PushServices.with { services in
            let before = try await services.send([try services.recipient(of: persona)])
            #expect(before.map(\.verdict) == [.sent])
            await services.answer(PlannedWebPushAnswer(fault))
            let outcomes = try await services.send([try services.recipient(of: persona)])
            let row = Self.expected(persona, fault)
            #expect(outcomes.map(\.verdict) == [row.verdict])
            #expect(outcomes.map(\.reason) == [row.reason])
            #expect(outcomes.allSatisfy { $0.judge == .provider })
            #expect(outcomes.allSatisfy { ($0.unregisteredAt != nil) == (row.verdict == .unregistered) })
        }
    }

    private static func expected(_ persona: Persona, _ fault: WebPushReason) -> Row {
        if fault == .redirect { return (.rejected, "Redirected") }
        return switch persona {
        case .apple: apple(fault)
        case .mozilla: mozilla(fault)
        case .google: google(fault)
        case .microsoft: microsoft(fault)
        }
    }

    private static func apple(_ fault: WebPushReason) -> Row {
        switch fault {
        case .badPath: (.rejected, "BadPath")
        case .methodNotAllowed: (.rejected, "MethodNotAllowed")
        case .missingAuthorization, .badAuthorization: (.hold, "BadAuthorizationHeader")
        case .badKey: (.hold, "BadVapidPublicKey")
        case .badToken, .expiredToken: (.hold, "BadJwtToken")
        case .keyMismatch: (.rejected, "KeyMismatch")
        case .missingTTL, .badTTL: (.rejected, "BadTtl")
        case .badUrgency: (.rejected, "BadUrgency")
        case .badTopic: (.rejected, "BadWebPushTopic")
        case .badCachePolicy, .badEncoding: (.rejected, "BadWebPushRequest")
        case .tooLarge: (.rejected, "PayloadTooLarge")
        case .gone, .unknown: (.unregistered, "Unregistered")
        case .tooManyRequests: (.retry, "TooManyRequests")
        case .internalError, .badGateway, .redirect: (.retry, "InternalServerError")
        case .unavailable, .insufficientStorage: (.retry, "ServiceUnavailable")
        }
    }

    private static func mozilla(_ fault: WebPushReason) -> Row {
        switch fault {
        case .badPath, .unknown: (.unregistered, "Errno102")
        case .methodNotAllowed: (.rejected, "Errno999")
        case .missingAuthorization, .badAuthorization, .badKey, .badToken, .expiredToken: (.hold, "Errno109")
        case .keyMismatch: (.rejected, "KeyMismatch")
        case .missingTTL: (.rejected, "Errno111")
        case .badTTL: (.rejected, "Errno112")
        case .badTopic: (.rejected, "Errno113")
        case .badUrgency, .badCachePolicy, .badEncoding: (.rejected, "Errno110")
        case .tooLarge: (.rejected, "Errno104")
        case .gone: (.unregistered, "Errno106")
        case .tooManyRequests: (.retry, "Errno201")
        case .internalError, .insufficientStorage, .redirect: (.retry, "Errno999")
        case .badGateway: (.retry, "Errno900")
        case .unavailable: (.retry, "Errno202")
        }
    }

    /// Returns the expected outcome for Google. An unexplained refusal concerns the subscription, because the service
    /// has accepted an earlier message.
    private static func google(_ fault: WebPushReason) -> Row {
        switch fault {
        case .badPath, .unknown: (.unregistered, "Status404")
        case .methodNotAllowed: (.rejected, "Status405")
        case .missingAuthorization, .badAuthorization: (.rejected, "Status401")
        case .badKey: (.rejected, "Status400")
        case .badToken, .expiredToken: (.rejected, "Status403")
        case .keyMismatch: (.rejected, "KeyMismatch")
        case .gone: (.unregistered, "Status410")
        default: unnamed(fault)
        }
    }

    private static func microsoft(_ fault: WebPushReason) -> Row {
        switch fault {
        case .badPath, .unknown: (.unregistered, "Status404")
        case .methodNotAllowed: (.rejected, "Status405")
        case .missingAuthorization, .badAuthorization, .badKey, .badToken, .expiredToken: (.rejected, "Status401")
        case .keyMismatch: (.rejected, "Status403")
        case .gone: (.unregistered, "Status410")
        case .tooManyRequests: (.retry, "Status406")
        default: unnamed(fault)
        }
    }

    private static func unnamed(_ fault: WebPushReason) -> Row {
        switch fault {
        case .tooLarge: (.rejected, "Status413")
        case .tooManyRequests: (.retry, "Status429")
        case .internalError: (.retry, "Status500")
        case .badGateway: (.retry, "Status502")
        case .unavailable: (.retry, "Status503")
        case .insufficientStorage: (.retry, "Status507")
        default: (.rejected, "Status400")
        }
    }

    /// If no earlier message was accepted, the refusal may also concern the key.
    @Test(arguments: [Persona.google, .microsoft])
    func retriesFirstMessageWithUnexplainedRefusal(persona: Persona) async throws {
        try await PushServices.with { services in
            await services.answer(PlannedWebPushAnswer(.badToken))
            let outcomes = try await services.send([try services.recipient(of: persona)])
            #expect(outcomes.map(\.verdict) == [.retry])
        }
    }
}
