import Store
import TestSupport
import Routing

/// A random choice of faults for services other than APNs, and of rate limits for apps. Each fault comes with the range
/// of its duration, in milliseconds.
extension Schedule {
    static func serviceFault(
        of output: OutputKind, _ profile: Profile, _ generator: inout SplitMix64
    ) -> (Fault, ClosedRange<Int>) {
        switch output {
        case .apns: (.cutPushes, 0...0)
        case .fcm: fcmFault(profile, &generator)
        case .webpush: webPushFault(profile, &generator)
        case .webhook: webhookFault(profile, &generator)
        }
    }

    /// Returns a random rate limit for an app, or occasionally `nil` to remove the limit.
    static func pace(_ profile: Profile, _ generator: inout SplitMix64) -> AppRateLimit? {
        guard Int.random(in: 0..<6, using: &generator) > 0 else { return nil }
        return profile.paces.randomElement(using: &generator).map {
            AppRateLimit(rate: $0, includesUrgent: .random(using: &generator))
        }
    }

    private static func fcmFault(_ profile: Profile, _ generator: inout SplitMix64) -> (Fault, ClosedRange<Int>) {
        let worker = Int.random(in: 1...profile.workers, using: &generator)
        switch Int.random(in: 0..<17, using: &generator) {
        case 0: return (.cut(.fcm, worker: worker), 0...0)
        case 1: return (.blackHole(.fcm, worker: worker), profile.freeze)
        case 2: return (.slow(.fcm, worker: worker, milliseconds: 50), profile.outage)
        case 3, 4: return (.service(.fcm, .noAccessTokens(isSilent: .random(using: &generator))), profile.outage)
        case 5: return (.service(.fcm, .revokedTokens), 0...0)
        case 6, 7:
            let app = Int.random(in: 0..<Workload.apps.count, using: &generator)
            return (
                .service(.fcm, .refusedAccount(app: app, byTokenEndpoint: .random(using: &generator))), profile.outage
            )
        case 8: return (.service(.fcm, .next(.random(in: 1...50, using: &generator), .mismatch)), 0...0)
        // After a 429 without `Retry-After`, the project waits for a minute.
        case 9 where profile.isPatient: return (.service(.fcm, .next(1, .tooMany(retryAfter: nil))), 0...0)
        case 10: return (.service(.fcm, .always(.tooMany(retryAfter: 2))), profile.outage)
        default:
            let (fault, length) = anyFault(profile, &generator)
            return (.service(.fcm, fault), length)
        }
    }

    private static func webPushFault(_ profile: Profile, _ generator: inout SplitMix64) -> (Fault, ClosedRange<Int>) {
        // An app that briefly had another key would cause such answers.
        if Int.random(in: 0..<8, using: &generator) == 0 {
            return (.service(.webpush, .next(.random(in: 1...50, using: &generator), .mismatch)), 0...0)
        }
        let (fault, length) = anyFault(profile, &generator)
        return (.service(.webpush, fault), length)
    }

    /// Returns a random fault of the webhook receiver, and the range of its duration in milliseconds.
    private static func webhookFault(_ profile: Profile, _ generator: inout SplitMix64) -> (Fault, ClosedRange<Int>) {
        let some = Int.random(in: 1...5, using: &generator)
        let seconds = Int.random(in: 1...3, using: &generator)
        let (fault, length): (ServiceFault, ClosedRange<Int>) =
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: (.down, profile.outage)
            case 1: (.cut, 0...0)
            case 2: (.slow(milliseconds: .random(in: 10...1_500, using: &generator)), profile.outage)
            case 3: (.silence(all: false), profile.outage)
            case 4: (.next(some, .tooMany(retryAfter: seconds)), 0...0)
            case 5: (.next(some, .tooMany(retryAfter: nil)), 0...0)
            case 6: (.next(some, .unavailable(retryAfter: seconds)), 0...0)
            case 7: (.always(.unavailable(retryAfter: nil)), profile.outage)
            case 8: (.next(some, .broken), 0...0)
            case 9: (.partialAnswers, profile.outage)
            case 10: (.wrongWords, profile.outage)
            default: (.cutAnswers, profile.outage)
            }
        return (.service(.webhook, fault), length)
    }

    /// Returns a random fault that any service can have, and the range of its duration in milliseconds.
    private static func anyFault(
        _ profile: Profile, _ generator: inout SplitMix64
    ) -> (ServiceFault, ClosedRange<Int>) {
        let some = Int.random(in: 1...200, using: &generator)
        let seconds = Int.random(in: 1...5, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return (.goAway(announced: .random(using: &generator)), 0...0)
        case 1: return (.cut, 0...0)
        case 2: return (.refuseStreams(some), 0...0)
        case 3: return (.down, profile.outage)
        case 4: return (.slow(milliseconds: .random(in: 10...500, using: &generator)), profile.outage)
        case 5: return (.silence(all: .random(using: &generator)), profile.outage)
        case 6: return (.always(.unavailable(retryAfter: nil)), profile.outage)
        case 7: return (.next(some, .unavailable(retryAfter: seconds)), 0...0)
        case 8: return (.next(some, .broken), 0...0)
        default: return (.next(some, .tooMany(retryAfter: seconds)), 0...0)
        }
    }
}
