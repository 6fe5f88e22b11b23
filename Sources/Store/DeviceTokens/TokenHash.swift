import Glibc
public import PushModel

/// 64 bits that stand for a device token. Two tokens may have the same, so it only says what is not there.
///
/// Multiply and fold, as in wyhash: about 5 ns for a token of 64 digits.
public enum TokenHash {
    /// What the tokens of one app are hashed with.
    public static func seed(output: String, app: String, environment: PushEnvironment) -> UInt64 {
        var seed: UInt64 = environment == .production ? 0x243F_6A88_85A3_08D3 : 0x1319_8A2E_0370_7344
        for part in [output, app] {
            var text = part
            seed = text.withUTF8 { hashed(UnsafeRawBufferPointer($0), seed: seed) }
        }
        return seed
    }

    /// Of a recipient's address as a job has it: the hash of what it is filed under.
    ///
    /// - Parameter form: that of the output's recipients.
    public static func hash(address: UnsafeRawBufferPointer, form: RecipientForm, seed: UInt64) -> UInt64 {
        // What is plain is so in its one form, too, which is never longer.
        guard !FiledAddress.isPlain(address) else { return hash(address, seed: seed) }
        var token = FiledAddress(form.canonical(String(decoding: address, as: UTF8.self))).token
        return token.withUTF8 { hash(UnsafeRawBufferPointer($0), seed: seed) }
    }

    /// Of the column `token`. Letters of either case are the same here, as they are in hex, and so is a token in angle
    /// brackets.
    public static func hash(_ token: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        if mayBeWrapped(token), let digits = RecipientForm.digits(of: token) {
            return digits.withUnsafeBytes { hashed($0, seed: seed) }
        }
        return hashed(token, seed: seed)
    }

    /// Whether there may be more to leave out than upper case.
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
