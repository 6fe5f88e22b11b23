import ConfigurationTestSupport
import Foundations
import APNSOutput
import DeliveryPipeline
import MartletConfiguration
import TestSupport
import Testing

@Suite struct BadConfigurationTests {
    private func source(_ settings: String...) async throws -> ConfigurationSource {
        try await ConfigurationSource(file: nil, settings: settings, environment: [:])
    }

    @Test(arguments: [
        ("amqp.prefx=x", "unknown configuration key amqp.prefx in --set; did you mean amqp.prefix?"),
        ("database.uri=x", "unknown configuration key database.uri in --set; did you mean database.url?"),
        ("amqp=x", "unknown configuration key amqp in --set; did you mean amqp.url?"),
        ("log.level", "--set log.level…: must be key=value"),
    ])
    func rejectsUnknownKeyInFlag(setting: String, message: String) async {
        #expect(await failure { try await source(setting) } == message)
    }

    @Test(arguments: ["tracing:\n  # endpoint: x\n", "tracing:\n", "amqp:\n  prefetch:\n"])
    func acceptsSectionWithoutKeys(text: String) async throws {
        try await withFile(text) { path in
            let source = try await ConfigurationSource(file: path, settings: [], environment: [:])
            #expect(source.string(.tracingEndpoint) == nil)
        }
    }

    @Test(arguments: [
        ("amqp:\n  prefx: x\n", "unknown configuration key amqp.prefx in FILE; did you mean amqp.prefix?"),
        ("amqp.prefx: x\n", "unknown configuration key amqp.prefx in FILE; did you mean amqp.prefix?"),
        ("log:\n  level:\n    x: 1\n", "unknown configuration key log.level.x in FILE; did you mean log.level?"),
        ("amqp: x\n", "unknown configuration key amqp in FILE; did you mean amqp.url?"),
        (
            "log:\n  level: [info]\n",
            "configuration key log.level (MARTLET_LOG_LEVEL): must be one value in FILE, not a list"
        ),
        ("- a\n- b\n", "configuration file FILE: must be a mapping of keys to values"),
        ("text", "configuration file FILE: must be a mapping of keys to values"),
        ("log:\n  level: info\nlog:\n  level: debug\n", "configuration file FILE: line 1: given twice: log"),
        ("log: [\n", "configuration file FILE: line 2, column 1: did not find expected node content"),
    ])
    func rejectsInvalidFile(text: String, message: String) async throws {
        try await withFile(text) { path in
            let failure = await failure { try await ConfigurationSource(file: path, settings: [], environment: [:]) }
            #expect(failure?.replacing(path, with: "FILE") == message)
        }
    }

    @Test func namesMissingFile() async {
        let failure = await failure {
            try await ConfigurationSource(file: "/nonexistent/martlet.yaml", settings: [], environment: [:])
        }
        #expect(
            failure?.hasPrefix("cannot read the configuration file /nonexistent/martlet.yaml: ") == true,
            "\(failure ?? "")")
    }

    @Test(arguments: [
        ("amqp.prefetch.urgent=many", "is many, but must be a whole number from 1 to 65535"),
        ("amqp.prefetch.urgent=0", "is 0, but must be a whole number from 1 to 65535"),
        ("amqp.prefetch.bulk=65536", "is 65536, but must be a whole number from 1 to 65535"),
        ("amqp.prefetch.bytes=999999", "is 999999, but must be a whole number from 1000000 to 17179869184"),
        ("worker.maximum_in_flight=1.5", "is 1.5, but must be a whole number from 1 to 10000000"),
        ("results.maximum_wait=-1", "is -1, but must be a whole number from 0 to 10000"),
        ("jobs.at_most_once_window=3599", "is 3599, but must be a whole number from 3600 to 31536000"),
        ("retry.maximum_attempts=", "is not set; expected: maximum attempts of a push before its outcome is failed"),
        ("worker.name=", "must have 1 to 100 bytes"),
        ("amqp.prefix=\(String(repeating: "é", count: 51))", "has more than 100 bytes"),
        (
            "amqp.prefix=",
            "is not set; expected: prefix of the names of all exchanges and queues; a second fleet needs another prefix"
        ),
    ])
    func namesKeyAndVariableOfValueOutOfRange(setting: String, problem: String) async throws {
        let key = try #require(ConfigurationKey(rawValue: String(setting.prefix { $0 != "=" })))
        #expect(
            await failure { try await source(setting).pipeline() }
                == "configuration key \(key.rawValue) (\(key.environmentVariable)): \(problem)")
    }

    /// A worker does not read the ledger's keys, but one file may serve both.
    @Test func rejectsInvalidValueOfKeyThatProcessDoesNotUse() async {
        #expect(
            await failure { try await source("ledger.days=0").check() }
                == "configuration key ledger.days (MARTLET_LEDGER_DAYS): is 0, but must be a whole number from 1 to 3650"
        )
    }

    @Test func rejectsUnknownLogLevel() async {
        #expect(
            await failure { try await source("log.level=loud").logLevel() }
                == "configuration key log.level (MARTLET_LOG_LEVEL): is loud, but must be trace, debug, info, notice, warning, error or critical"
        )
    }

    @Test func rejectsMissingCAFile() async {
        #expect(
            await failure { try await source("apns.ca_file=/nonexistent.pem").apns() }
                == "configuration key apns.ca_file (MARTLET_APNS_CA_FILE): file /nonexistent.pem does not exist or cannot be read"
        )
    }

    @Test(arguments: ["proxy.example.net:3128", "https://fred:s3cret@proxy:3128", "http://fred:s3cret@proxy"])
    func rejectsInvalidProxyWithoutShowingPassword(url: String) async {
        let variables = ["MARTLET_APNS_PROXY": url]
        #expect(
            await failure {
                try await ConfigurationSource(file: nil, settings: [], environment: variables).apns()
            }
                == "configuration key apns.proxy (MARTLET_APNS_PROXY): must be http://[user:password@]host:port, user and password percent-encoded"
        )
    }

    @Test(
        arguments: [
            ([], "is none, which is allowed for test hosts only, but apns.endpoint.production is api.push.apple.com"),
            (
                ["apns.endpoint.production=127.0.0.1:2197"],
                "is none, which is allowed for test hosts only, but apns.endpoint.sandbox is api.sandbox.push.apple.com"
            ),
            (
                ["apns.endpoint.production=API.push.Apple.com.:2197", "apns.endpoint.sandbox=127.0.0.1:2197"],
                "is none, which is allowed for test hosts only, but apns.endpoint.production is API.push.Apple.com."
            ),
            (["apns.endpoint.production=127.0.0.1:2197", "apns.endpoint.sandbox=127.0.0.1:2197"], nil),
        ] as [([String], String?)])
    func disablesVerificationForTestHostsOnly(endpoints: [String], problem: String?) async throws {
        let source = try await ConfigurationSource(
            file: nil, settings: endpoints + ["apns.certificate_verification=none"], environment: [:])
        let failure = await failure { try source.apns() }
        #expect(
            failure
                == problem.map {
                    "configuration key apns.certificate_verification (MARTLET_APNS_CERTIFICATE_VERIFICATION): \($0)"
                })
        if problem == nil { #expect(try source.apns().verifiesCertificates == false) }
    }

    @Test func rejectsIPAddressBehindProxyUnlessVerificationIsOff() async throws {
        let (proxy, settings) = (
            ["MARTLET_APNS_PROXY": "http://proxy:3128"], ["apns.endpoint.sandbox=[2001:db8::1]:2197"]
        )
        #expect(
            await failure {
                try await ConfigurationSource(file: nil, settings: settings, environment: proxy).apns()
            }
                == "configuration key apns.endpoint.sandbox (MARTLET_APNS_ENDPOINT_SANDBOX): is the address 2001:db8::1, unverifiable through apns.proxy: use a host name"
        )
        let unverified = ["apns.endpoint.production=10.0.0.1:2197", "apns.certificate_verification=none"]
        #expect(
            try await ConfigurationSource(file: nil, settings: settings + unverified, environment: proxy).apns().proxy
                != nil)
    }

    @Test func rejectsUnknownVerificationMode() async {
        #expect(
            await failure { try await source("apns.certificate_verification=off").apns() }
                == "configuration key apns.certificate_verification (MARTLET_APNS_CERTIFICATE_VERIFICATION): is off, but must be full or none"
        )
    }

    @Test func namesMissingRequiredKeys() async throws {
        let source = try await source()
        let failures = [
            await failure { try source.broker() }, await failure { try source.database(applicationName: "test") },
            await failure { try source.keyring() },
        ]
        for (failure, key) in zip(failures, [ConfigurationKey.amqpURL, .databaseURL, .keyringFile]) {
            #expect(
                failure
                    == "configuration key \(key.rawValue) (\(key.environmentVariable)): is not set; expected: \(key.explanation); "
                    + "no configuration file was read: --config or MARTLET_CONFIG names one"
            )
        }
    }

    @Test func namesFileThatLacksRequiredKey() async throws {
        try await withFile("log:\n  level: info\n") { path in
            let source = try await ConfigurationSource(file: path, settings: [], environment: [:])
            let failure = await failure { try source.broker() }
            #expect(failure?.hasSuffix("; the configuration file is \(path)") == true, "\(failure ?? "")")
        }
    }

    @Test func namesFileWithInvalidValue() async throws {
        try await withFile("http:\n  listen: nohost\n") { path in
            let source = try await ConfigurationSource(file: path, settings: [], environment: [:])
            let failure = await failure { try source.endpoint(.httpListen) }
            let problem = "is nohost, but must be host:port, or [address]:port for IPv6"
            #expect(
                failure
                    == "configuration key http.listen (MARTLET_HTTP_LISTEN): \(problem); the configuration file is \(path)"
            )
        }
    }

    // MARK: environment variables

    @Test(arguments: [
        ("MARTLET_AMQP_ULR", "MARTLET_AMQP_URL"), ("MARTLET_DATABASE_URI_FILE", "MARTLET_DATABASE_URL"),
        ("MARTLET_LOG_LEVL", "MARTLET_LOG_LEVEL"),
    ])
    func rejectsMisspeltVariable(name: String, meant: String) async {
        let failure = await failure {
            try await ConfigurationSource(file: nil, settings: [], environment: [name: "x"])
        }
        #expect(failure == "unknown environment variable \(name); did you mean \(meant)?")
    }

    @Test func rejectsFileOfKeyThatIsNoSecret() async {
        let failure = await failure {
            try await ConfigurationSource(file: nil, settings: [], environment: ["MARTLET_LOG_LEVEL_FILE": "x"])
        }
        #expect(
            failure == "MARTLET_LOG_LEVEL_FILE is not read, because log.level is not a secret: set MARTLET_LOG_LEVEL")
    }

    /// Kubernetes sets variables such as `MARTLET_PORT` in all pods of a namespace with a service named `martlet`.
    @Test(arguments: [
        "MARTLET_SERVICE_HOST", "MARTLET_SERVICE_PORT", "MARTLET_SERVICE_PORT_HTTP", "MARTLET_PORT",
        "MARTLET_PORT_8080_TCP", "MARTLET_PORT_8080_TCP_ADDR", "MARTLET_CONFIG",
    ])
    func ignoresOtherVariables(name: String) async throws {
        _ = try await ConfigurationSource(file: nil, settings: [], environment: [name: "x"])
    }

    // MARK: host and port

    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), ("api.push.apple.com:443", "api.push.apple.com", 443),
        ("[::1]:8080", "::1", 8080), ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65535), ("localhost:0", "localhost", 0),
    ])
    func readsHostAndPort(text: String, host: String, port: Int) async throws {
        let endpoint = try await source("http.listen=\(text)").endpoint(.httpListen)
        #expect(endpoint == Endpoint(host: host, port: port))
    }

    @Test(arguments: [
        "localhost", "8080", ":8080", "localhost:", "localhost:http", "localhost:65536", "localhost:-1",
        "localhost:+1", "::1", "::1:8080", "[::1]", "[]:80", "[::1:80", "a:b:80", "localhost:99999999999999999999",
    ])
    func rejectsInvalidHostAndPort(text: String) async {
        #expect(
            await failure { try await source("http.listen=\(text)").endpoint(.httpListen) }
                == "configuration key http.listen (MARTLET_HTTP_LISTEN): is \(text), but must be host:port, or [address]:port for IPv6"
        )
    }
}
