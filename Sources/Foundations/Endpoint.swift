/// The address of a server: a host, by name or address, and a port.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// A fault in the text of an endpoint.
    package enum Fault: Error, Sendable, Hashable {
        case noClosingBracket
        /// The host contains a bracket that does not enclose it.
        case strayBracket
        /// The text after the closing bracket is not a port.
        case textAfterBracket
        case noHost
        /// The port is missing, or is not a whole number up to 65535.
        case port
    }

    public let host: String
    public let port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `host:port`, or `[address]:port` for IPv6.
    ///
    /// - Parameter defaultPort: the port of a text without a port, or `nil` if the text must have a port.
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

    /// The endpoint as text. An IPv6 address is in brackets, as in a URL.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
