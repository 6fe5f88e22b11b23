internal import CLibPQ
import Foundation

/// Where a database is and how to get in, as libpq understands it.
public struct PostgresConfiguration: Sendable, CustomStringConvertible {
    /// Time for a connection to be made to each address of each host of the URL, one after the other, and for each name to be
    /// looked up; its `connect_timeout`, else 5 s.
    public var connectTimeout: Duration
    /// Time for a request's answer, after which it is cancelled and its connection closed; nil waits for ever.
    public var queryTimeout: Duration? = .seconds(30)
    /// Time a statement waits for a lock that another session holds, however long it may take otherwise. Without a time
    /// limit there is none for locks either.
    public var lockTimeout: Duration = .seconds(10)
    /// Where its connections count; nil: they don't.
    package var meter: PostgresMeter?
    /// Of names that are not looked up, for tests.
    package var knownAddresses: [String: [String]] = [:]

    /// Asked before each attempt to connect, for a URL that changes while this program runs: where to, and as whom. Called
    /// on the connection's thread, which may block meanwhile.
    public var current: (@Sendable () -> PostgresConfiguration)?

    /// libpq's keywords and values.
    let options: [String: String]

    /// Reads `postgres://user:password@host:port/database?sslmode=verify-full&…`.
    ///
    /// Every parameter of the PostgreSQL manual's "Parameter Key Words" is understood, TLS (`sslmode`,
    /// `sslrootcert`) included; what the URL leaves out comes from libpq's environment (`PGPASSFILE`, …).
    /// - Parameter applicationName: shown in `pg_stat_activity` unless the URL names another.
    /// - Throws: ``PostgresError`` with code `configuration`, which never shows the password.
    public init(url: String, applicationName: String = "martlet") throws(PostgresError) {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
            throw PostgresError(.configuration, "database URL must begin with postgres:// or postgresql://")
        }
        var options = Self.defaults.merging(try parsedByLibPQ(url)) { $1 }
        if ["host", "port", "dbname"].contains(where: { options[$0]?.contains("@") == true }) {
            // libpq took a part of an unencoded password for a host; its own errors would print it
            throw PostgresError(
                .configuration, "database URL: '@', ':' and '/' in the user name or password must be percent-encoded")
        }
        if let ports = options["port"],
            ports.split(separator: ",", omittingEmptySubsequences: false).contains(where: {
                !$0.isEmpty && UInt16($0).map { $0 > 0 } != true
            })
        {
            // Most likely a password, of a URL that ends before its host; libpq's own error would print it.
            throw PostgresError(.configuration, "database URL: a port is a number from 1 to 65535")
        }
        options["fallback_application_name"] = applicationName
        // libpq itself applies this only to its blocking calls, and takes zero and less for no limit
        let seconds = options["connect_timeout"].flatMap { Int32($0) } ?? 0
        connectTimeout = .seconds(seconds > 0 ? seconds : 5)
        self.options = options
    }

    /// A dead peer is noticed within about 30 s, also on a connection that only listens.
    private static let defaults = [
        "client_encoding": "UTF8", "keepalives_idle": "15", "keepalives_interval": "5",
        "keepalives_count": "3", "tcp_user_timeout": "30000",
    ]

    /// Hosts over a network whose identity is not verified: `sslmode` is not `verify-full`.
    public var unverifiedHosts: [String] {
        let hosts = options["host"] ?? options["hostaddr"] ?? ProcessInfo.processInfo.environment["PGHOST"] ?? ""
        let mode = options["sslmode"] ?? ProcessInfo.processInfo.environment["PGSSLMODE"]
        if mode == "verify-full" { return [] }
        return hosts.split(separator: ",").map(String.init).filter { host in
            // beginning with a slash or an at sign: a Unix socket
            !host.hasPrefix("/") && !host.hasPrefix("@") && !host.hasPrefix("127.")
                && !["localhost", "::1"].contains(host)
        }
    }

    /// What to connect with, one host after the other.
    var hosts: [[String: String]] { HostAttempts.of(options, environment: ProcessInfo.processInfo.environment) }

    /// Time for all hosts but the first address of the last, where a name has one address that does not answer.
    var timeForOthers: Duration {
        connectTimeout * (hosts.count - 1 + hosts.count { HostAttempts.name(of: $0) != nil })
    }

    /// One of them at each address that its name has by now.
    func attempts(at host: [String: String], _ mailbox: Mailbox) throws(PostgresError) -> [[String: String]] {
        guard let name = HostAttempts.name(of: host) else { return [host] }
        let addresses =
            if let known = knownAddresses[name] { known } else {
                try NameLookUp.addresses(of: name, within: connectTimeout, mailbox)
            }
        return HostAttempts.of(host, at: addresses, environment: ProcessInfo.processInfo.environment)
    }

    /// Names of what differs from another, but for user and password.
    package func differences(from other: PostgresConfiguration) -> [String] {
        Set(options.keys).union(other.options.keys).subtracting(["user", "password"])
            .filter { options[$0] != other.options[$0] }.sorted()
    }

    /// Host, port, database and user; never the password.
    public var description: String { Self.description(of: options) }

    static func description(of options: [String: String]) -> String {
        let names = [options["host"], options["hostaddr"].map { options["host"] == nil ? $0 : "(\($0))" }].compactMap(
            \.self)
        let host = names.isEmpty ? "local socket" : names.joined(separator: " ")
        let port = options["port"].map { ":\($0)" } ?? ""
        let user = options["user"].map { " as \($0)" } ?? ""
        return "\(host)\(port)/\(options["dbname"] ?? "")\(user)"
    }
}

private func parsedByLibPQ(_ url: String) throws(PostgresError) -> [String: String] {
    var problem: UnsafeMutablePointer<CChar>?
    guard let parsed = PQconninfoParse(url, &problem) else {
        defer { PQfreemem(problem) }
        let message = problem.map { String(cString: $0) } ?? "out of memory"
        throw PostgresError(.configuration, "database URL: " + withoutSecrets(message))
    }
    defer { PQconninfoFree(parsed) }
    var options: [String: String] = [:]
    var entry = parsed
    while let keyword = entry.pointee.keyword {
        if let value = entry.pointee.val { options[String(cString: keyword)] = String(cString: value) }
        entry += 1
    }
    return options
}

/// libpq quotes what it could not read, which may be the whole URL or a part of the password: nothing stays from the first
/// quotation mark on.
private func withoutSecrets(_ message: String) -> String {
    let words = message.firstIndex(of: "\"").map { message[..<$0].trimmingCharacters(in: .whitespaces) + " … " } ?? ""
    return words
        + "(special characters in user name, password and values must be percent-encoded, an IPv6 address stands in "
        + "brackets, and parameters are libpq's)"
}
