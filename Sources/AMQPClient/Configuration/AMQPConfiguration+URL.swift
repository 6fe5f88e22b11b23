import Foundations

extension AMQPConfiguration {
    /// Parses a URL such as `amqp://user:password@host1:5672,host2:5673/vhost?heartbeat=15`, or `amqps://` for TLS.
    ///
    /// The format is RabbitMQ's (rabbitmq.com, "RabbitMQ URI Specification"), extended by a list of hosts. User,
    /// password, host, virtual host and the values of options are percent-decoded, so a virtual host `/x` is written
    /// `%2Fx`. The defaults are user and password `guest`, port 5672 (5671 with TLS), and virtual host `/`.
    ///
    /// | option after `?` | value |
    /// |---|---|
    /// | `heartbeat` | seconds |
    /// | `connection_timeout` | milliseconds |
    /// | `auth_mechanism` | `plain` or `external`, as in RabbitMQ's own clients |
    /// | `cacertfile` | file name, with TLS only |
    /// | `certfile` and `keyfile` | file names, with TLS only |
    /// | `verify` | `verify_peer` or `verify_none`, with TLS only |
    ///
    /// - Throws: ``AMQPError/Code/invalidConfiguration`` naming the part at fault. The error does not contain the URL,
    ///   because the URL contains a password.
    package init(url: String) throws(AMQPError) {
        let (usesTLS, afterScheme) = try AMQPURL.scheme(of: url)
        let (location, query) = AMQPURL.cut(afterScheme, at: "?")
        let (authority, path) = AMQPURL.cut(location, at: "/")
        var hosts = authority
        var hasPassword: Bool?
        self.init(endpoints: [], tls: usesTLS ? AMQPTLSConfiguration() : nil)

        if let at = authority.lastIndex(of: "@") {
            let (user, password) = AMQPURL.cut(authority[..<at], at: ":")
            self.user = try AMQPURL.decode(user, part: "user")
            hasPassword = password != nil
            if let password { self.password = AMQPPassword(try AMQPURL.decode(password, part: "password")) }
            hosts = authority[authority.index(after: at)...]
        }
        for (index, host) in hosts.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            endpoints.append(try AMQPURL.endpoint(host, number: index + 1, defaultPort: usesTLS ? 5671 : 5672))
        }
        if let path, !path.isEmpty {
            guard !path.contains("/") else { throw AMQPURL.problem("virtual host: write a slash as %2F") }
            // The text is probably the end of a password with a slash in it. Reporting it as the virtual host would
            // reveal it.
            guard !path.contains("@") else {
                throw AMQPURL.problem("virtual host: write an at sign as %40, and a slash in a password as %2F")
            }
            virtualHost = try AMQPURL.decode(path, part: "virtual host")
        }
        for option in (query ?? "").split(separator: "&") {
            let (name, value) = AMQPURL.cut(option, at: "=")
            // If an at sign follows, the option may be a part of a password that is not percent-encoded.
            let isShown = query?.contains("@") != true && name.utf8.allSatisfy(AMQPURL.isOfOption)
            let part = isShown ? "option \(name)" : "an option"
            try apply(option: String(name), value: try AMQPURL.decode(value ?? "", part: part), called: part)
        }
        if tls?.clientCertificate?.certificateFile.isEmpty == true {
            throw AMQPURL.problem("option keyfile requires certfile")
        }
        if tls?.clientCertificate?.keyFile.isEmpty == true { throw AMQPURL.problem("option certfile requires keyfile") }
        if mechanism == .certificate {
            guard tls?.clientCertificate != nil else {
                throw AMQPURL.problem("option auth_mechanism=external requires amqps://, certfile and keyfile")
            }
            guard hasPassword == false else {
                throw AMQPURL.problem(
                    "option auth_mechanism=external requires the user that the certificate names, and no password"
                )
            }
        }
        try validate()
    }

    private mutating func apply(option: String, value: String, called part: String) throws(AMQPError) {
        switch option {
        case "heartbeat":
            guard let seconds = Int(value) else { throw AMQPURL.problem("option heartbeat is not a number of seconds") }
            heartbeatSeconds = seconds
        case "connection_timeout":
            guard let milliseconds = UInt32(value) else {
                throw AMQPURL.problem("option connection_timeout is not a number of milliseconds")
            }
            connectTimeout = .milliseconds(milliseconds)
        case "auth_mechanism":
            guard let mechanism = ["plain": Mechanism.password, "external": .certificate][value.lowercased()] else {
                throw AMQPURL.problem("option auth_mechanism must be plain or external")
            }
            self.mechanism = mechanism
        case "cacertfile", "certfile", "keyfile", "verify":
            guard var tls else { throw AMQPURL.problem("option \(option) requires amqps://") }
            try AMQPURL.apply(option: option, value: value, to: &tls)
            self.tls = tls
        default:
            throw AMQPURL.problem("\(part) is unknown")
        }
    }
}

/// Functions that parse the parts of an AMQP URL.
private enum AMQPURL {
    static func problem(_ text: String) -> AMQPError {
        AMQPError(.invalidConfiguration, "AMQP URL: \(text)")
    }

    static func scheme(of url: String) throws(AMQPError) -> (usesTLS: Bool, rest: Substring) {
        for (prefix, usesTLS) in [("amqp://", false), ("amqps://", true)] where url.lowercased().hasPrefix(prefix) {
            return (usesTLS, url.dropFirst(prefix.count))
        }
        throw problem("scheme must be amqp:// or amqps://")
    }

    static func isOfOption(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: "_")
    }

    static func cut(_ text: Substring, at separator: Character) -> (Substring, Substring?) {
        guard let index = text.firstIndex(of: separator) else { return (text, nil) }
        return (text[..<index], text[text.index(after: index)...])
    }

    static func endpoint(
        _ text: Substring, number: Int, defaultPort: Int
    ) throws(AMQPError) -> Endpoint {
        let read: Endpoint
        do {
            read = try Endpoint(text, defaultPort: defaultPort)
        } catch {
            throw problem(of: number, error)
        }
        let name = try decode(read.host, part: "host \(number)")
        guard read.port > 0 else { throw problem(of: number, .port) }
        return Endpoint(host: name, port: read.port)
    }

    private static func problem(of number: Int, _ fault: Endpoint.Fault) -> AMQPError {
        switch fault {
        case .noClosingBracket: problem("host \(number) has no closing bracket")
        case .strayBracket: problem("host \(number) has a bracket that does not enclose an address")
        case .textAfterBracket: problem("host \(number) has text after its closing bracket")
        case .noHost: problem("host \(number) is empty")
        case .port: problem("port of host \(number) is not a number from 1 to 65535")
        }
    }

    static func apply(option: String, value: String, to tls: inout AMQPTLSConfiguration) throws(AMQPError) {
        guard !value.isEmpty else { throw problem("option \(option) is empty") }
        switch (option, value) {
        case ("cacertfile", _):
            tls.authorityFile = value
        case ("certfile", _):
            tls.clientCertificate = .init(
                certificateFile: value, keyFile: tls.clientCertificate?.keyFile ?? "")
        case ("keyfile", _):
            tls.clientCertificate = .init(
                certificateFile: tls.clientCertificate?.certificateFile ?? "", keyFile: value)
        case ("verify", "verify_peer"), ("verify", "verify_none"):
            tls.verifiesPeer = value == "verify_peer"
            tls.verifiesHostname = tls.verifiesPeer
        default:
            throw problem("option verify must be verify_peer or verify_none")
        }
    }

    static func decode(_ text: some StringProtocol, part: String) throws(AMQPError) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                throw problem("\(part) has a % without two hexadecimal digits")
            }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw problem("\(part) is not UTF-8") }
        return decoded
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
