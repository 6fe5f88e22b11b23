import ArgumentParser
import PushModel
import Store

/// A kind of generated address. Each address is derived from a number and is as long as a real one.
enum BenchAddress: String, ExpressibleByArgument, CaseIterable {
    case device
    case installation
    case registration
    case endpoint
    case longEndpoint = "long-endpoint"

    var output: String { self == .device ? "apns" : "bench" }

    var form: RecipientForm { self == .device ? .hex(maximumDigits: 512) : .text }

    func key(_ text: String, app: String) -> DeviceTokenKey {
        DeviceTokenKey(output: output, app: app, environment: .production, form: form, token: text)
    }

    func text(_ number: Int) -> String {
        let digits = Self.digits(number)
        func endpoint(_ length: Int) -> String {
            String(("https://push.example.net/send/" + String(repeating: digits, count: 16)).prefix(length))
        }
        return switch self {
        case .device: digits
        case .installation: String(digits.prefix(22))
        case .registration: "\(digits.prefix(22)):APA91b\(String(repeating: digits, count: 3).prefix(134))"
        case .endpoint: endpoint(600)
        case .longEndpoint: endpoint(1_024)
        }
    }

    /// Returns 64 hex digits, distributed as in a real token (SplitMix64).
    private static func digits(_ number: Int) -> String {
        var state = UInt64(truncatingIfNeeded: number)
        var text = ""
        for _ in 0..<4 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            word ^= word >> 31
            let digits = String(word, radix: 16)
            text += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return text
    }
}
