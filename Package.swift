// swift-tools-version: 6.2

import PackageDescription

/// The settings of all Swift targets except `ThirdPartyOutput`. Warnings are errors.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// The SQL files in migrations/, which are embedded in the program.
let migrations: [Resource] = [
    .embedInCode("0001_apps_and_credentials.sql"), .embedInCode("0002_audit.sql"),
    .embedInCode("0003_device_tokens.sql"), .embedInCode("0004_jobs.sql"),
    .embedInCode("0005_workers_and_ledger.sql"), .embedInCode("0006_roles.sql"),
]

extension Target.Dependency {
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioTLS = product(name: "NIOTLS", package: "swift-nio")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
    static let heap = product(name: "HeapModule", package: "swift-collections")
    static let deque = product(name: "DequeModule", package: "swift-collections")
    static let orderedCollections = product(name: "OrderedCollections", package: "swift-collections")
    static let crypto = product(name: "Crypto", package: "swift-crypto")
    static let cryptoExtras = product(name: "CryptoExtras", package: "swift-crypto")
    static let x509 = product(name: "X509", package: "swift-certificates")
    static let swiftASN1 = product(name: "SwiftASN1", package: "swift-asn1")
    static let yams = product(name: "Yams", package: "Yams")
    static let logging = product(name: "Logging", package: "swift-log")
    static let lifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
    static let configuration = product(name: "Configuration", package: "swift-configuration")
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
}

extension Target {
    /// A library in Sources.
    static func library(_ name: String, _ dependencies: [Dependency] = []) -> Target {
        target(name: name, dependencies: dependencies, swiftSettings: settings)
    }

    /// A program in Sources, or in `path`.
    static func program(_ name: String, _ dependencies: [Dependency], path: String? = nil) -> Target {
        executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
    }

    /// A library for tests and tools, which no program in Sources uses.
    static func support(
        _ name: String, _ dependencies: [Dependency], path: String? = nil, exclude: [String] = []
    ) -> Target {
        target(
            name: name, dependencies: dependencies, path: path ?? "Tests/Support/\(name)", exclude: exclude,
            swiftSettings: settings)
    }

    /// The tests in Tests/`name`. A release build does not optimize them, which halves the CPU time of compiling them.
    static func tests(_ name: String, _ dependencies: [Dependency], exclude: [String] = []) -> Target {
        testTarget(
            name: name, dependencies: dependencies, exclude: exclude,
            swiftSettings: settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
    }
}

/// The product. A target may import only targets above it. `make check` verifies this.
let sources: [Target] = [
    .systemLibrary(name: "CRabbitMQ"),
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq"),
    .systemLibrary(name: "CNGHTTP2"),
    .systemLibrary(name: "COpenSSL"),
    .systemLibrary(name: "CLinux"),
    .library("Foundations", ["CLinux", .logging]),
    .library("Metering", ["Foundations"]),
    .library("AMQPClient", ["CRabbitMQ", "Foundations", .deque, .logging]),
    .library("PostgresClient", ["CLibPQ", "Foundations", "Metering", .deque, .logging, .orderedCollections]),
    .library("HTTPServing", ["Foundations", .nioCore, .nioHTTP1, .nioPosix]),
    .library("HTTP2Session", ["CNGHTTP2"]),
    .library("HTTP2Channel", ["HTTP2Session", .nioCore]),
    .library(
        "HTTP2Pool",
        [
            "Foundations", "HTTP2Channel", "HTTP2Session", "Metering", .logging, .nioCore, .nioHTTP1, .nioPosix,
            .nioSSL, .nioTLS,
        ]),
    .library("PushModel", ["Foundations", "Metering", .logging]),
    .library("CommandSupport", ["PushModel", .argumentParser]),
    .library("Contract", ["AMQPClient", "PushModel"]),
    .library("Routing", ["PushModel"]),
    .library("Traces", ["Foundations", "PushModel", .deque]),
    .library("OutputConformance", ["Foundations", "PushModel"]),
    .library("CredentialFormats", ["COpenSSL", "PushModel", .crypto]),
    .library("PackageSigning", ["CredentialFormats", "PushModel", .crypto]),
    .target(
        name: "MigrationFiles", path: "migrations", exclude: ["README.md"], resources: migrations,
        swiftSettings: settings),
    .library(
        "Store",
        [
            "CredentialFormats", "Foundations", "MigrationFiles", "PostgresClient", "PushModel", "Routing", .crypto,
            .logging,
        ]),
    .library(
        "PushSending",
        [
            "Foundations", "HTTP2Pool", "HTTP2Session", "PushModel", .crypto, .deque, .logging, .nioCore, .nioPosix,
            .nioSSL,
        ]),
    .library(
        "APNSOutput",
        [
            "CredentialFormats", "Foundations", "HTTP2Pool", "HTTP2Session", "Metering", "PushModel", "PushSending",
            .crypto, .deque, .logging, .nioCore, .nioPosix, .nioSSL,
        ]),
    .library(
        "FCMOutput",
        [
            "CredentialFormats", "Foundations", "HTTP2Pool", "HTTP2Session", "Metering", "PushModel", "PushSending",
            .crypto, .cryptoExtras, .logging, .nioCore, .nioPosix, .nioSSL,
        ]),
    .library(
        "WebPushOutput",
        [
            "CredentialFormats", "Foundations", "HTTP2Pool", "HTTP2Session", "Metering", "PushModel", "PushSending",
            .crypto, .logging, .nioCore, .nioPosix, .nioSSL,
        ]),
    .library(
        "WebhookOutput",
        [
            "CredentialFormats", "Foundations", "HTTP2Pool", "HTTP2Session", "Metering", "PushModel", "PushSending",
            .crypto, .logging, .nioCore, .nioPosix, .nioSSL,
        ]),
    .library(
        "DeliveryPipeline",
        [
            "AMQPClient", "Contract", "Foundations", "Metering", "PushModel", "Routing", "Store", "Traces", .deque,
            .logging,
        ]),
    .library(
        "PushSimulator",
        [
            "Foundations", "HTTP2Channel", "HTTP2Session", "HTTPServing", .crypto, .cryptoExtras, .deque, .logging,
            .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .nioTLS, .swiftASN1, .x509,
        ]),
    .library("APNSSimulator", ["Foundations", "HTTP2Session", "PushSimulator", .crypto, .logging, .swiftASN1, .x509]),
    .library("FCMSimulator", ["Foundations", "HTTP2Session", "PushSimulator", .crypto, .cryptoExtras, .logging]),
    .library("WebPushSimulator", ["Foundations", "HTTP2Session", "PushSimulator", .crypto, .logging]),
    .library(
        "OutcomeLedger",
        [
            "AMQPClient", "Contract", "Foundations", "PostgresClient", "PushModel", "Routing", "Store", .crypto,
            .lifecycle, .logging,
        ]),
    .library(
        "MartletConfiguration",
        [
            "AMQPClient", "Contract", "DeliveryPipeline", "Foundations", "HTTP2Pool", "PostgresClient", "PushModel",
            "Store", .configuration, .logging, .yams,
        ]),
    .library(
        "Observability",
        [
            "AMQPClient", "Contract", "DeliveryPipeline", "Foundations", "HTTP2Pool", "HTTP2Session", "HTTPServing",
            "MartletConfiguration", "Metering", "OutcomeLedger", "PostgresClient", "PushModel", "PushSending",
            "Routing", "Store", "Traces", .lifecycle, .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
        ]),
    .library(
        "MartletWorker",
        [
            "AMQPClient", "Contract", "DeliveryPipeline", "Foundations", "MartletConfiguration", "Metering",
            "Observability", "OutcomeLedger", "PostgresClient", "PushModel", "Routing", "Store", "Traces",
            .lifecycle, .logging, .unixSignals,
        ]),
    .library(
        "MartletCommand",
        [
            "AMQPClient", "CommandSupport", "Contract", "CredentialFormats", "DeliveryPipeline", "Foundations",
            "MartletConfiguration", "MartletWorker", "Observability", "OutcomeLedger", "PostgresClient",
            "PushModel", "Routing", "Store", .argumentParser, .logging,
        ]),
    .library(
        "APNSCommands",
        [
            "APNSOutput", "CommandSupport", "CredentialFormats", "Foundations", "MartletCommand",
            "MartletConfiguration", "MartletWorker", "Observability", "PackageSigning", "PushModel", "Routing",
            "Store", .argumentParser, .logging, .nioPosix,
        ]),
    .library(
        "MartletOutputs",
        [
            "APNSCommands", "APNSOutput", "FCMOutput", "MartletCommand", "PushModel", "WebhookOutput",
            "WebPushOutput",
        ]),
    .program("martlet", ["MartletOutputs"]),
    .program(
        "martlet-simulator",
        [
            "APNSSimulator", "CommandSupport", "CredentialFormats", "FCMSimulator", "Foundations", "PushSimulator",
            "WebPushSimulator", .argumentParser,
        ]),
]

/// Benchmarks, the torture run, the fleet simulation, the fuzz targets and the example of an output.
let tools: [Target] = [
    .program(
        "martlet-bench",
        [
            "APNSOutput", "FCMOutput", "Foundations", "Metering", "PostgresClient", "PushModel", "Store",
            "WebhookOutput", "WebPushOutput", .argumentParser, .crypto, .logging, .nioCore, .nioHTTP1, .nioPosix,
        ], path: "Tests/Benchmarks/SendBench"),
    .support(
        "TortureRun",
        [
            "AMQPClient", "APNSOutput", "APNSSimulator", "Contract", "DeliveryPipeline", "FCMOutput",
            "FCMSimulator", "Foundations", "PostgresClient", "PushModel", "PushSimulator", "Routing", "Store",
            "TestSupport", "WebhookOutput", "WebPushOutput", "WebPushSimulator", "WireTestSupport",
            "WorkerTestSupport", .crypto, .cryptoExtras, .logging,
        ], path: "Tests/Torture/TortureRun"),
    .support(
        "FleetSimulation",
        [
            "AMQPClient", "APNSOutput", "Contract", "DeliveryPipeline", "HTTP2Pool", "PushModel", "PushSending",
            "Routing",
            "RoutingTestSupport", "Store", "TestSupport", .deque, .heap, .logging,
        ], path: "Tests/Simulation/FleetSimulation"),
    .program(
        "martlet-simulate", ["FleetSimulation", "Foundations", .argumentParser],
        path: "Tests/Simulation/martlet-simulate"),
    .program("martlet-torture", ["TortureRun", .argumentParser], path: "Tests/Torture/martlet-torture"),
    .support(
        "FuzzTargets",
        [
            "AMQPClient", "APNSOutput", "Contract", "CredentialFormats", "DeliveryPipeline", "FCMOutput", "Foundations",
            "HTTP2Session", "MartletConfiguration", "MartletWorker", "Observability", "OutcomeLedger", "PostgresClient",
            "PushModel", "Store",
            "WebhookOutput", "WebPushOutput",
        ], path: "Tests/Fuzzing/FuzzTargets"),
    // The example's sources, for the conformance suite. Users build them as a package of their own.
    .target(
        name: "ThirdPartyOutput", dependencies: ["CredentialFormats", "PushModel", "PushSending"],
        path: "examples/third-party-output/Sources/NtfyOutput"),
]

/// Shared code of tests. None of it imports Testing, except for TestTraits.
let testSupport: [Target] = [
    .support("TestSupport", ["Foundations", .logging], exclude: ["broker.py"]),
    .support("TestTraits", ["TestSupport"]),
    .support("ConfigurationTestSupport", ["APNSOutput", "MartletConfiguration", "MartletOutputs"]),
    .support("RoutingTestSupport", ["PushModel", "Routing"]),
    .support("PushTestSupport", ["Foundations", "PushModel"]),
    .support(
        "WireTestSupport",
        [
            "APNSSimulator", "Foundations", "HTTP2Channel", "HTTP2Session", .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
        ]),
    .support("SimulatorTestSupport", ["HTTP2Channel", "HTTP2Session", "PushSimulator", .nioCore, .nioPosix, .nioSSL]),
    .support(
        "WorkerTestSupport",
        [
            "AMQPClient", "Contract", "DeliveryPipeline", "Foundations", "PostgresClient", "Routing", "Store",
            "TestSupport", .logging,
        ]),
]

let tests: [Target] = [
    .tests("FoundationsTests", ["Foundations"]),
    .tests("MeteringTests", ["Metering"]),
    .tests("AMQPClientTests", ["AMQPClient", "Foundations", "TestSupport", "TestTraits", .logging]),
    .tests("PostgresClientTests", ["PostgresClient", "TestSupport", "TestTraits", .logging]),
    .tests(
        "HTTPServingTests",
        ["Foundations", "HTTPServing", "TestSupport", .nioCore, .nioEmbedded, .nioHTTP1, .nioPosix]),
    .tests("HTTP2SessionTests", ["HTTP2Session", "TestSupport"]),
    .tests("HTTP2ChannelTests", ["HTTP2Channel", "HTTP2Session", .nioCore, .nioEmbedded]),
    .tests(
        "HTTP2PoolTests",
        [
            "Foundations", "HTTP2Pool", "HTTP2Session", "TestSupport", "WireTestSupport", .logging, .nioCore,
            .nioPosix, .nioSSL,
        ]),
    .tests("PushModelTests", ["Foundations", "PushModel", "PushTestSupport", "TestSupport"]),
    .tests("RoutingTests", ["PushModel", "Routing", "RoutingTestSupport", "TestSupport"]),
    .tests("TracesTests", ["PushModel", "Traces"]),
    .tests(
        "OutputConformanceTests",
        [
            "APNSOutput", "APNSSimulator", "FCMOutput", "FCMSimulator", "Foundations", "MartletOutputs",
            "OutputConformance", "PushModel", "PushSimulator", "Store", "TestSupport", "ThirdPartyOutput",
            "WebhookOutput", "WebPushOutput", "WebPushSimulator", "WireTestSupport", .crypto, .cryptoExtras, .logging,
            .nioCore, .nioPosix,
        ]),
    .tests(
        "PackageSigningTests",
        [
            "CredentialFormats", "PackageSigning", "PushModel", "TestSupport",
        ], exclude: ["Clients"]),
    .tests(
        "StoreTests",
        [
            "APNSOutput", "CredentialFormats", "Foundations", "PostgresClient", "PushModel", "PushTestSupport",
            "Routing", "RoutingTestSupport", "Store", "TestSupport", "TestTraits", "WorkerTestSupport", .logging,
        ]),
    .tests(
        "PushSendingTests",
        ["Foundations", "HTTP2Pool", "HTTP2Session", "PushModel", "PushSending", "PushTestSupport", .logging]),
    .tests(
        "APNSOutputTests",
        [
            "APNSOutput", "APNSSimulator", "Foundations", "HTTP2Pool", "HTTP2Session", "PushModel", "PushSending",
            "PushTestSupport", "Store", "TestSupport", "WireTestSupport", .crypto, .logging, .nioCore, .nioPosix,
            .nioSSL,
        ]),
    .tests(
        "FCMOutputTests",
        [
            "FCMOutput", "FCMSimulator", "Foundations", "HTTP2Pool", "HTTP2Session", "Metering", "PushModel",
            "PushSending", "PushTestSupport", "Store", "TestSupport", .crypto, .cryptoExtras, .logging, .nioCore,
            .nioPosix,
        ]),
    .tests(
        "WebPushOutputTests",
        [
            "Foundations", "HTTP2Pool", "PushModel", "PushSending", "PushTestSupport", "Store", "TestSupport",
            "WebPushOutput", "WebPushSimulator", "WireTestSupport", .crypto, .logging, .nioCore, .nioPosix,
        ], exclude: ["Clients"]),
    .tests(
        "WebhookOutputTests",
        [
            "Foundations", "HTTP2Pool", "PushModel", "PushTestSupport", "TestSupport", "WebhookOutput",
            "WireTestSupport", .crypto, .logging, .nioCore, .nioPosix,
        ], exclude: ["Clients"]),
    .tests(
        "DeliveryPipelineTests",
        [
            "AMQPClient", "Contract", "DeliveryPipeline", "Foundations", "Metering", "PushModel", "Routing",
            "Store", "TestSupport", "Traces", .deque, .logging,
        ]),
    .tests(
        "PushSimulatorTests",
        [
            "Foundations", "HTTP2Session", "PushSimulator", "SimulatorTestSupport", "TestSupport", .logging, .nioCore,
        ]),
    .tests(
        "APNSSimulatorTests",
        [
            "APNSSimulator", "CredentialFormats", "Foundations", "HTTP2Session", "SimulatorTestSupport",
            "TestSupport", .crypto, .nioCore, .nioSSL,
        ], exclude: ["Clients"]),
    .tests(
        "FCMSimulatorTests",
        [
            "FCMSimulator", "Foundations", "HTTP2Session", "SimulatorTestSupport", "TestSupport", .crypto,
            .cryptoExtras, .nioCore,
        ], exclude: ["Clients"]),
    .tests(
        "WebPushSimulatorTests",
        [
            "Foundations", "HTTP2Session", "SimulatorTestSupport", "TestSupport", "WebPushSimulator", .crypto,
            .nioCore,
        ], exclude: ["Clients"]),
    .tests("OutcomeLedgerTests", ["AMQPClient", "OutcomeLedger", "PushModel", "Routing", "Store", "TestSupport"]),
    .tests(
        "MartletConfigurationTests",
        [
            "AMQPClient", "APNSOutput", "ConfigurationTestSupport", "DeliveryPipeline", "Foundations", "MartletCommand",
            "MartletConfiguration",
            "MartletWorker", "Observability", "PostgresClient", "PushModel", "Store", "TestSupport", .logging,
        ]),
    .tests(
        "ObservabilityTests",
        [
            "APNSOutput", "ConfigurationTestSupport", "Contract", "DeliveryPipeline", "Foundations",
            "MartletConfiguration", "MartletWorker",
            "Metering", "Observability", "PushModel", "Store", "TestSupport", "Traces", "WireTestSupport",
            "WorkerTestSupport", .lifecycle,
            .logging,
        ]),
    .tests(
        "MartletWorkerTests",
        [
            "Foundations", "MartletWorker", "Observability", "PostgresClient", "PushModel", "Routing", "Store",
            "TestSupport", "TestTraits", "WorkerTestSupport", .lifecycle, .logging,
        ]),
    .tests(
        "MartletCommandTests",
        ["MartletCommand", "PushModel", "PushTestSupport"]),
    .tests("FuzzCorpusTests", ["FuzzTargets", "TestSupport"]),
    .tests("SimulationTests", ["AMQPClient", "FleetSimulation", "PushModel"]),
    .tests(
        "TortureTests",
        [
            "PushModel", "Routing", "Store", "TestSupport", "TestTraits", "TortureRun", "WebPushSimulator", .crypto,
        ]),
    .tests(
        "IntegrationTests",
        [
            "AMQPClient", "APNSOutput", "APNSSimulator", "Contract", "DeliveryPipeline", "Foundations",
            "MartletOutputs", "PostgresClient", "PushModel", "PushTestSupport", "Routing", "Store", "TestSupport",
            "TestTraits", "WireTestSupport", "WorkerTestSupport", .crypto, .logging, .nioPosix,
        ], exclude: ["Clients/Harness"]),
]

/// The only test target to build, which `scripts/unit` sets, or `nil` for all of them.
let onlyTests = Context.environment["MARTLET_ONLY_TESTS"]

let package = Package(
    name: "martlet",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "martlet", targets: ["martlet"]),
        .executable(name: "martlet-simulator", targets: ["martlet-simulator"]),
        .library(name: "PushModel", targets: ["Foundations", "PushModel"]),
        .library(name: "PushSending", targets: ["PushSending"]),
        .library(name: "CredentialFormats", targets: ["CredentialFormats"]),
        .library(name: "OutputConformance", targets: ["OutputConformance"]),
        .library(name: "MartletOutputs", targets: ["MartletOutputs"]),
        .library(name: "APNSSimulator", targets: ["APNSSimulator"]),
        .library(name: "FCMSimulator", targets: ["FCMSimulator"]),
        .library(name: "WebPushSimulator", targets: ["WebPushSimulator"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: sources + tools + testSupport + tests.filter { onlyTests == nil || $0.name == onlyTests }
)
