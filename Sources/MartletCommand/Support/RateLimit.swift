import ArgumentParser
import PushModel

/// Pushes a second, or none.
struct RateLimit: ExpressibleByArgument, Equatable {
    /// nil: no limit.
    let perSecond: Int?

    init?(argument: String) {
        if argument == "none" {
            perSecond = nil
        } else {
            guard let rate = Int(argument), JobLimits.rates.contains(rate) else { return nil }
            perSecond = rate
        }
    }
}
