import Foundations

extension EventName {
    static let credentialUnusable = EventName("credential.unusable", repeats: true)
    static let hostAnswersAgain = EventName("service.answers")
    static let hostSilent = EventName("service.silent")
    static let serviceThrottles = EventName("service.throttles", repeats: true)
    static let credentialRefused = EventName("credential.refused")
    static let credentialAccepted = EventName("credential.accepted")
    static let tokensMostlyBad = EventName("device_tokens.mostly_bad")
}
