internal import CLibPQ
import Foundation

/// The address of a database and the settings of connections to it, as options of libpq.
package struct PostgresConfiguration: Sendable, CustomStringConvertible {
    /// The time limit for an attempt to connect to one address, and for the look-up of one host name. Hosts and their
    /// addresses are tried one after another. The default is `connect_timeout` of the URL, or 5 seconds.
    package var connectTimeout: Duration
    /// The time limit for the answer to a request, or `nil` for no limit. After this time, the request is cancelled and
    /// its connection is closed.
    package var queryTimeout: Duration? = .seconds(30)
    /// The time limit for waiting for a lock that another session holds. It applies even if the statement itself may
    /// take longer. It does not apply to scripts or to requests without a time limit.
    package var lockTimeout: Duration = .seconds(10)
    /// The metrics of the connections, or `nil` if they are not measured.
    package var meter: PostgresMeter?
    /// The addresses of host names, for tests. A host name in this table is not looked up.
    package var knownAddresses: [String: [String]] = [:]

    /// A function that returns the current configuration, or `nil` to use this one. It is for a URL that changes while
    /// this program runs. The connection's thread calls it before each attempt to connect, and it may block.
    package var current: (@Sendable () -> PostgresConfiguration)?

    /// The options, by libpq's keywords.
    let options: [String: String]

    /// Parses a URL such as `postgres://user:password@host:port/database?sslmode=verify-full&…`.
    ///
    /// All parameters in the PostgreSQL manual's "Parameter Key Words" are supported, including those for TLS
    /// (`sslmode`, `sslrootcert`). Options that the URL omits come from libpq's environment (`PGPASSFILE`, …).
    ///
    /// - Parameter applicationName: the name in `pg_stat_activity`, unless the URL contains another.
    /// - Throws: ``PostgresError`` with code `configuration`. The error never contains the password.
    package init(url: String, applicationName: String = "martlet") throws(PostgresError) {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
            throw PostgresError(.configuration, "database URL: must begin with postgres:// or postgresql://")
        }
        var options = Self.defaults.merging(try parsedByLibPQ(url)) { $1 }
        if ["host", "port", "dbname"].contains(where: { options[$0]?.contains("@") == true }) {
            // libpq took a part of an unencoded password for a host. Its own errors would reveal that part.
            throw PostgresError(
                .configuration, "database URL: '@', ':' and '/' in the user name or password must be percent-encoded")
        }
        if let ports = options["port"],
            ports.split(separator: ",", omittingEmptySubsequences: false).contains(where: {
                !$0.isEmpty && UInt16($0).map { $0 > 0 } != true
            })
        {
            // The value is probably a password, in a URL without a host. libpq's own error would reveal it.
            throw PostgresError(.configuration, "database URL: port must be a number from 1 to 65535")
        }
        options["fallback_application_name"] = applicationName
        // libpq applies this setting only to its blocking calls, and treats zero and negative values as no limit.
        let seconds = options["connect_timeout"].flatMap { Int32($0) } ?? 0
        connectTimeout = .seconds(seconds > 0 ? seconds : 5)
        self.options = options
    }

    /// The default options, which the URL may override. They ensure that a dead peer is detected within about 30
    /// seconds, even if the connection only listens.
    private static let defaults = [
        "client_encoding": "UTF8", "keepalives_idle": "15", "keepalives_interval": "5",
        "keepalives_count": "3", "tcp_user_timeout": "30000",
    ]

    /// The network hosts whose identity is not verified, because `sslmode` is not `verify-full`.
    package var unverifiedHosts: [String] {
        let hosts = options["host"] ?? options["hostaddr"] ?? ProcessInfo.processInfo.environment["PGHOST"] ?? ""
        let mode = options["sslmode"] ?? ProcessInfo.processInfo.environment["PGSSLMODE"]
        if mode == "verify-full" { return [] }
        return hosts.split(separator: ",").map(String.init).filter { host in
            // A host that begins with a slash or an at sign is a Unix socket.
            !host.hasPrefix("/") && !host.hasPrefix("@") && !host.hasPrefix("127.")
                && !["localhost", "::1"].contains(host)
        }
    }

    /// The options of each host, in the order of the attempts.
    var hosts: [[String: String]] { HostAttempts.of(options, environment: ProcessInfo.processInfo.environment) }

    /// The additional time that a pool's caller may have to wait for a connection. Each host after the first adds one
    /// connect timeout. Each host name adds another one, for its look-up or for one address that does not answer.
    var timeForOthers: Duration {
        connectTimeout * (hosts.count - 1 + hosts.count { HostAttempts.name(of: $0) != nil })
    }

    /// Returns the attempts for one host, one for each address that its name has now.
    func attempts(at host: [String: String], _ mailbox: Mailbox) throws(PostgresError) -> [[String: String]] {
        guard let name = HostAttempts.name(of: host) else { return [host] }
        let addresses =
            if let known = knownAddresses[name] { known } else {
                try NameLookup.addresses(of: name, within: connectTimeout, mailbox)
            }
        return HostAttempts.of(host, at: addresses, environment: ProcessInfo.processInfo.environment)
    }

    /// Returns the names of the options that differ from another configuration, except user and password.
    package func differences(from other: PostgresConfiguration) -> [String] {
        Set(options.keys).union(other.options.keys).subtracting(["user", "password"])
            .filter { options[$0] != other.options[$0] }.sorted()
    }

    /// The host, port, database and user, without the password.
    package var description: String { Self.description(of: options) }

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

/// Returns an error message from libpq without secrets. libpq quotes the text that it could not parse, which may be the
/// whole URL or a part of the password. Therefore the first quotation mark and everything after it are removed.
private func withoutSecrets(_ message: String) -> String {
    let words = message.firstIndex(of: "\"").map { message[..<$0].trimmingCharacters(in: .whitespaces) + " … " } ?? ""
    return words
        + "(special characters in user name, password and values must be percent-encoded, an IPv6 address must be in "
        + "brackets, and parameters must be those of libpq)"
}
