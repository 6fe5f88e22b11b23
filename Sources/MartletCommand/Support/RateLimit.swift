import ArgumentParser
import PushModel

/// The value of `--rate`, which is a number of pushes per second or `none`.
struct RateLimit: ExpressibleByArgument, Equatable {
    /// The number of pushes per second, or `nil` for no limit.
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
