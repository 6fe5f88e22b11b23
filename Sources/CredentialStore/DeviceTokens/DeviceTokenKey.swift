public import PushModel

/// What identifies a device token: a row of `martlet.device_tokens`.
public struct DeviceTokenKey: Sendable, Hashable {
    public let output: String
    public let app: String
    public let environment: PushEnvironment
    /// Hex is kept in lower case, so that a token has one form whoever wrote it.
    public let token: String

    public init(output: String, app: String, environment: PushEnvironment, token: String) {
        self.output = output
        self.app = app
        self.environment = environment
        self.token = token.utf8.allSatisfy(\.isHexDigit) ? token.lowercased() : token
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
