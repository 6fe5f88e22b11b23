import Foundations
import AMQPClient
import Testing

@Suite("AMQP URL")
struct AMQPConfigurationURLTests {
    @Test("every part is read and decoded")
    func decodesEveryPart() throws {
        let configuration = try AMQPConfiguration(
            url:
                "amqp://us%65r:p%40ss%3A%2F@one.example:5673,two.example,[::1]:9/push%2Fa?heartbeat=5&connection_timeout=2500"
        )
        #expect(
            configuration.endpoints == [
                .init(host: "one.example", port: 5673), .init(host: "two.example", port: 5672),
                .init(host: "::1", port: 9),
            ])
        #expect(configuration.user == "user")
        #expect(configuration.password == AMQPPassword("p@ss:/"))
        #expect(configuration.virtualHost == "push/a")
        #expect(configuration.heartbeatSeconds == 5)
        #expect(configuration.connectTimeout == .milliseconds(2500))
        #expect(configuration.tls == nil)
    }

    @Test("an omitted part has its default", arguments: ["amqp://broker", "amqp://broker/", "AMQP://broker"])
    func appliesDefaults(url: String) throws {
        let configuration = try AMQPConfiguration(url: url)
        #expect(configuration.endpoints == [.init(host: "broker", port: 5672)])
        #expect(configuration.user == "guest")
        #expect(configuration.password == AMQPPassword("guest"))
        #expect(configuration.virtualHost == "/")
        #expect(configuration.heartbeatSeconds == 15)
    }

    @Test("amqps verifies the broker by default and accepts certificate files")
    func verifiesBrokerByDefaultAndReadsFiles() throws {
        let plain = try AMQPConfiguration(url: "amqps://broker")
        #expect(plain.endpoints == [.init(host: "broker", port: 5671)])
        #expect(plain.tls?.verifiesPeer == true)
        #expect(plain.tls?.verifiesHostname == true)

        let full = try AMQPConfiguration(
            url: "amqps://broker?cacertfile=/ca.pem&keyfile=/key.pem&certfile=/client.pem&verify=verify_none")
        #expect(full.tls?.authorityFile == "/ca.pem")
        #expect(full.tls?.clientCertificate == .init(certificateFile: "/client.pem", keyFile: "/key.pem"))
        #expect(full.tls?.verifiesPeer == false)
        #expect(full.tls?.verifiesHostname == false)
    }

    @Test("a client certificate can replace the password")
    func authenticatesWithCertificate() throws {
        let files = "certfile=/client.pem&keyfile=/key.pem"
        #expect(try AMQPConfiguration(url: "amqps://worker@broker?\(files)").mechanism == .password)
        let external = try AMQPConfiguration(url: "amqps://worker@broker?auth_mechanism=EXTERNAL&\(files)")
        #expect(external.mechanism == .certificate && external.user == "worker")
    }

    @Test(
        "an error names the invalid part and hides the password",
        arguments: [
            ("http://u:hidden@h", "scheme"),
            ("amqp://u:hidden@", "host 1 is empty"),
            ("amqp://u:hidden@h,", "host 2 is empty"),
            ("amqp://u:hidden@h:0", "port of host 1"),
            ("amqp://u:hidden@a:1,h:65536", "port of host 2"),
            ("amqp://u:hidden@h:x", "port of host 1"),
            ("amqp://u:hidden@[::1", "bracket"),
            ("amqp://u%4:hidden@h", "user"),
            ("amqp://u:hidden%ZZ@h", "password"),
            ("amqp://u:hidden%FF@h", "password is not UTF-8"),
            ("amqp://u:hidden%00@h", "null"),
            ("amqp://u:hidden@h/a/b", "virtual host"),
            ("amqp://u:hidden@h?heartbeat=0", "heartbeat"),
            ("amqp://u:hidden@h?heartbeat=soon", "heartbeat"),
            ("amqp://u:hidden@h?hartbeat=1", "hartbeat"),
            ("amqp://u:12?hidden@h/", "an option is unknown"),
            ("amqp://u:12?hidden=1@h/", "an option is unknown"),
            ("amqp://u:12?x&hidden=%zz@h/", "an option is unknown"),
            ("amqp://u:12?hidden=%zz@h/", "an option has a %"),
            ("amqp://u:12?hIdden:hidden", "an option is unknown"),
            ("amqp://u:12/hidden@h", "%40"),
            ("amqp://u:hidden@h?cacertfile=/x", "requires amqps"),
            ("amqps://u:hidden@h?certfile=/x", "requires keyfile"),
            ("amqps://u:hidden@h?verify=maybe", "verify"),
            ("amqps://u:hidden@h?auth_mechanism=anonymous", "plain or external"),
            ("amqps://u@h?auth_mechanism=external&password=hidden", "password is unknown"),
            ("amqps://u@h?auth_mechanism=external", "certfile and keyfile"),
            ("amqp://u@h?auth_mechanism=external", "requires amqps://"),
            ("amqps://u:hidden@h?auth_mechanism=external&certfile=/c&keyfile=/k", "no password"),
            ("amqps://h?auth_mechanism=external&certfile=/c&keyfile=/k", "the certificate names"),
        ])
    func namesInvalidPartAndHidesPassword(url: String, part: String) {
        let error = #expect(throws: AMQPError.self) { try AMQPConfiguration(url: url) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.isRetriable == false)
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
        #expect(error?.description.contains("hidden") == false)
    }

    @Test("an error shows no part of a password, whatever characters it contains")
    func hidesEveryPartOfPasswordInErrors() {
        let special = "/?#@\"'%[]:&=,".map(String.init) + ["%2", "%zz", "12?", "12/", "?a=", "/x?"]
        for first in special {
            for second in special + [""] {
                let passwords = [
                    "hidden\(first)\(second)hidden", "\(first)\(second)hidden", "12\(first)hidden\(second)",
                ]
                for password in passwords {
                    let url = "amqp://u:\(password)@h/"
                    do {
                        let read = try AMQPConfiguration(url: url)
                        #expect(!"\(read.endpoints) \(read.user) \(read.virtualHost)".contains("hidden"), "\(url)")
                    } catch {
                        #expect(!"\(error)".contains("hidden"), "\(url)")
                    }
                }
            }
        }
    }

    @Test("descriptions hide the password")
    func hidesPasswordInDescriptions() throws {
        let configuration = try AMQPConfiguration(url: "amqp://u:hidden@h")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!"\(configuration) \(String(reflecting: configuration)) \(dumped)".contains("hidden"))
    }
}
