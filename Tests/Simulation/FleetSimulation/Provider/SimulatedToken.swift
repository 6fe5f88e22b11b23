/// The device token of a simulated recipient. It contains the app, the job, the recipient, and the fate of its pushes.
package struct SimulatedToken: Hashable {
    /// The provider's answer to pushes with the token, if no fault changes it.
    package enum Fate: UInt64 {
        case good = 0
        /// APNs answers that the token is unregistered.
        case dead = 1
        /// APNs answers that the token is invalid.
        case bad = 2
        /// APNs answers that it refuses the credential, but only for this token.
        case refusesCredential = 3
    }

    package let app: Int
    package let job: Int
    package let recipient: Int
    package let fate: Fate

    package init(app: Int, job: Int, recipient: Int, fate: Fate) {
        (self.app, self.job, self.recipient, self.fate) = (app, job, recipient, fate)
    }

    /// Parses a token, or returns `nil` if the text is not a simulated token.
    package init?(_ text: Substring) {
        guard text.utf8.count == 32, let value = UInt64(text.prefix(16), radix: 16),
            let rest = UInt64(text.suffix(16), radix: 16), let fate = Fate(rawValue: rest >> 32)
        else { return nil }
        self.init(app: Int(value >> 32), job: Int(value & 0xFFFF_FFFF), recipient: Int(rest & 0xFFFF_FFFF), fate: fate)
    }

    /// The token as 32 hexadecimal digits.
    package var text: String {
        var digits: [UInt8] = []
        write(to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    /// Appends the token as 32 hexadecimal digits.
    func write(to bytes: inout [UInt8]) {
        for value in [UInt64(app) << 32 | UInt64(job), fate.rawValue << 32 | UInt64(recipient)] {
            for shift in stride(from: 60, through: 0, by: -4) {
                let digit = UInt8(value >> UInt64(shift) & 0xF)
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
            }
        }
    }
}
