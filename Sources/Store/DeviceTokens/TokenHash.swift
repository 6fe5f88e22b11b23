import Glibc
package import PushModel

/// A function for the 64-bit hash of a device token. Two tokens may have the same hash, so equal hashes do not prove
/// that two tokens are equal.
///
/// The function multiplies and folds, as wyhash does. It takes about 5 ns for a token of 64 digits.
package enum TokenHash {
    /// Returns the seed with which the tokens of one output, app and environment are hashed.
    package static func seed(output: String, app: String, environment: PushEnvironment) -> UInt64 {
        var seed: UInt64 = environment == .production ? 0x243F_6A88_85A3_08D3 : 0x1319_8A2E_0370_7344
        for part in [output, app] {
            var text = part
            seed = text.withUTF8 { hashed(UnsafeRawBufferPointer($0), seed: seed) }
        }
        return seed
    }

    /// Returns the hash of a recipient's address in a job. It equals the hash of the column `token` in the address's
    /// record.
    ///
    /// - Parameter form: the form of the output's addresses.
    package static func hash(address: UnsafeRawBufferPointer, form: RecipientForm, seed: UInt64) -> UInt64 {
        // The canonical form is never longer than the address, so the canonical form of a plain address is also plain.
        guard !FiledAddress.isPlain(address) else { return hash(address, seed: seed) }
        var token = FiledAddress(form.canonical(String(decoding: address, as: UTF8.self))).token
        return token.withUTF8 { hash(UnsafeRawBufferPointer($0), seed: seed) }
    }

    /// Returns the hash of a value of the column `token`. The hash ignores the case of letters, because hex digits may
    /// have either case. It also ignores angle brackets and spaces in a token of hex digits.
    package static func hash(_ token: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        if mayBeWrapped(token), let digits = RecipientForm.digits(of: token) {
            return digits.withUnsafeBytes { hashed($0, seed: seed) }
        }
        return hashed(token, seed: seed)
    }

    /// Returns whether the token may contain angle brackets or spaces.
    private static func mayBeWrapped(_ token: UnsafeRawBufferPointer) -> Bool {
        guard let base = token.baseAddress, let first = token.first, let last = token.last else { return false }
        return first == UInt8(ascii: "<") || last == UInt8(ascii: ">") || memchr(base, 0x20, token.count) != nil
    }

    private static func hashed(_ token: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let lowerCase: UInt64 = 0x2020_2020_2020_2020
        var state = seed ^ UInt64(token.count)
        var place = 0
        while place + 16 <= token.count {
            let first = token.loadUnaligned(fromByteOffset: place, as: UInt64.self) | lowerCase
            let second = token.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self) | lowerCase
            state = mixed(first ^ 0xA409_3822_299F_31D0, second ^ state)
            place += 16
        }
        var rest: (UInt64, UInt64) = (0, 0)
        while place < token.count {
            rest = (rest.0 << 8 | rest.1 >> 56, rest.1 << 8 | UInt64(token[place] | 0x20))
            place += 1
        }
        return mixed(rest.0 ^ 0x082E_FA98_EC4E_6C89, mixed(rest.1 ^ 0x4528_21E6_38D0_1377, state))
    }

    private static func mixed(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
