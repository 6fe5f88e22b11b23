/// Where something listens: a host, by name or address, and a port.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with a text.
    package enum Fault: Error, Sendable, Hashable {
        case noClosingBracket
        /// One stands elsewhere than around the host.
        case strayBracket
        /// It is no port.
        case textAfterBracket
        case noHost
        /// None is named where one must be, or it is no whole number up to 65535.
        case port
    }

    public let host: String
    public let port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`, or `[address]:port` for IPv6.
    ///
    /// - Parameter defaultPort: of a text that names none; nil: it must name one.
    package init(_ text: some StringProtocol, defaultPort: Int? = nil) throws(Fault) {
        let (host, port) = try Self.parts(Substring(text))
        guard !host.contains(where: { $0 == "[" || $0 == "]" }) else { throw .strayBracket }
        guard !host.isEmpty else { throw .noHost }
        guard let number = port.map(Self.number) ?? defaultPort else { throw .port }
        self.init(host: String(host), port: number)
    }

    private static func parts(_ text: Substring) throws(Fault) -> (host: Substring, port: Substring?) {
        guard text.hasPrefix("[") else {
            guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
            return (text[..<colon], text[colon...].dropFirst())
        }
        guard let end = text.firstIndex(of: "]") else { throw .noClosingBracket }
        let rest = text[end...].dropFirst()
        guard rest.isEmpty || rest.hasPrefix(":") else { throw .textAfterBracket }
        return (text[..<end].dropFirst(), rest.isEmpty ? nil : rest.dropFirst())
    }

    private static func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return UInt16(text).map(Int.init)
    }

    /// An IPv6 address has brackets, as in a URL.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
