import Foundation
import TestSupport

/// A language that examples/clients has a publisher and a consumer in.
enum ClientLanguage: String, CaseIterable {
    case go, java, node, php, python, ruby

    var folder: URL { Project.root.appending(path: "examples/clients/\(rawValue)") }

    var isInstalled: Bool { needed.allSatisfy { FileManager.default.fileExists(atPath: $0) } }

    /// Whether its consumer connects again by itself.
    var comesBack: Bool { self == .java }

    /// What is installed where.
    private var needed: [String] {
        switch self {
        case .go: ["/usr/bin/go", "\(Self.goPath)/src/github.com/rabbitmq/amqp091-go"]
        case .java: ["/usr/bin/javac"] + Self.jars
        case .node: ["/usr/bin/node", folder.appending(path: "node_modules/amqplib").path]
        case .php: ["/usr/bin/php", "/usr/share/php/PhpAmqpLib/autoload.php"]
        case .python: ["/usr/bin/python3"]
        case .ruby: ["/usr/bin/ruby", "/usr/share/doc/ruby-bunny"]
        }
    }

    /// How to get it.
    var hint: String {
        switch self {
        case .go: "left out: apt-get install golang-go golang-github-rabbitmq-amqp091-go-dev (250 MB and more)"
        case .java:
            "left out: apt-get install default-jdk-headless librabbitmq-client-java libjackson2-databind-java (300 MB)"
        case .node: "left out: neither Debian nor PyPI has amqplib; npm install in examples/clients/node, beside nodejs"
        default: "left out: scripts/install"
        }
    }

    /// - Parameter folder: with the sources in it.
    func command(_ program: String, in folder: URL) -> [String] {
        func file(_ name: String) -> String { folder.appending(path: name).path }
        return switch self {
        case .go: [file("built/\(program)")]
        case .java: ["/usr/bin/java", "-cp", Self.jars.joined(separator: ":"), file("\(program.capitalized).java")]
        case .node: ["/usr/bin/node", file("\(program).js")]
        case .php: ["/usr/bin/php", file("\(program).php")]
        case .python: ["/usr/bin/python3", "-B", file("\(program).py")]
        case .ruby: ["/usr/bin/ruby", file("\(program).rb")]
        }
    }

    /// What has to be done first with the sources in a folder.
    func build(in folder: URL) async throws {
        guard self == .go else { return }
        let built = try await Subprocess.run(
            ["/usr/bin/go", "build", "-o", "built/", "./publish", "./consume"],
            environment: ["GO111MODULE": "off", "GOPATH": Self.goPath, "GOFLAGS": ""], in: folder, within: .seconds(300)
        )
        guard built.status == 0 else { throw Failure(description: "go build \(built)") }
    }

    private static let goPath = "/usr/share/gocode"
    private static let jars = ["amqp-client", "slf4j-api", "jackson-core", "jackson-databind", "jackson-annotations"]
        .map {
            "/usr/share/java/\($0).jar"
        }
}
