import WebPushSimulator

/// A pattern in the id of a subscription. It determines the simulator's answer.
enum SubscriptionPattern: UInt8, CaseIterable {
    case plain = 1
    case slow, gone, unknown, mismatch, badTopic, tooLarge, broken, badGateway, silent, reset

    init(_ kind: RecipientKind, _ index: Int) {
        let patterns: [SubscriptionPattern] =
            switch kind {
            case .plain: [.plain]
            case .slow: [.slow]
            case .dead: [.gone, .unknown]
            case .bad: [.mismatch, .badTopic, .tooLarge]
            case .refusedForNow: [.broken, .badGateway]
            case .silent: [.silent, .reset]
            }
        // The persona changes with each index. The pattern changes after all personas were used once.
        self = patterns[index / Persona.allCases.count % patterns.count]
    }

    var state: SimulatedWebPush.SubscriptionState {
        switch self {
        case .gone: .gone
        case .unknown: .unknown
        default: .good
        }
    }

    /// The simulator's answer to pushes, or `nil` if the state of the subscription determines it.
    var answer: PlannedWebPushAnswer? {
        switch self {
        case .plain, .gone, .unknown: nil
        case .slow: PlannedWebPushAnswer(delayMilliseconds: 30)
        case .mismatch: PlannedWebPushAnswer(.keyMismatch)
        case .badTopic: PlannedWebPushAnswer(.badTopic)
        case .tooLarge: PlannedWebPushAnswer(.tooLarge)
        case .broken: PlannedWebPushAnswer(.internalError)
        case .badGateway: PlannedWebPushAnswer(.badGateway)
        case .silent: PlannedWebPushAnswer(loss: .silence)
        case .reset: PlannedWebPushAnswer(loss: .reset)
        }
    }
}
