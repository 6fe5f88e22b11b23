import Foundation
import TestSupport

/// A language of examples/clients, other than shell.
enum ClientLanguage: String, CaseIterable {
    case go, java, node, php, python, ruby

    var folder: URL { Project.root.appending(path: "examples/clients/\(rawValue)") }

    var isInstalled: Bool { needed.allSatisfy { FileManager.default.fileExists(atPath: $0) } }

    /// Whether the consumer reconnects after it has lost the connection. Other consumers exit.
    var comesBack: Bool { self == .java }

    /// The files that must be installed.
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

    /// The instruction for installing the missing files.
    var hint: String {
        switch self {
        case .go: "not installed: apt-get install golang-go golang-github-rabbitmq-amqp091-go-dev (470 MB)"
        case .java:
            "not installed: apt-get install default-jdk-headless librabbitmq-client-java libjackson2-databind-java"
        case .node: "not installed: nodejs, and 'npm install' in examples/clients/node (Debian has no amqplib)"
        default: "not installed: run scripts/install"
        }
    }

    /// Returns the command that runs a program of a folder.
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

    /// Builds the programs of a folder, if the language needs it. Go programs are built twice: in GOPATH mode, which
    /// docs/clients.md describes for Debian's package, and as the module of go.mod, with Debian's package in place of
    /// the dependency.
    func build(in folder: URL) async throws {
        guard self == .go else { return }
        let module = "github.com/rabbitmq/amqp091-go"
        let lines = """
            export GO111MODULE=off GOPATH=\(Self.goPath)
            go vet ./publish ./consume
            go build -o built/ ./publish ./consume
            export GO111MODULE=on GOPATH=$PWD/path GOPROXY=off
            go mod edit -replace \(module)=\(Self.goPath)/src/\(module)
            go build -o built/module/ ./publish ./consume
            """
        let built = try await Subprocess.run(
            ["/bin/sh", "-ec", lines], environment: ["GOFLAGS": "", "GOTOOLCHAIN": "local"], in: folder,
            within: .seconds(300))
        guard built.status == 0 else { throw Failure(description: "go build \(built)") }
    }

    private static let goPath = "/usr/share/gocode"
    private static let jars = ["amqp-client", "slf4j-api", "jackson-core", "jackson-databind", "jackson-annotations"]
        .map {
            "/usr/share/java/\($0).jar"
        }
}
