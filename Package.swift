// swift-tools-version: 6.2

import PackageDescription

/// The settings of all targets in this package. Warnings are errors.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// The files in migrations/, which are embedded in the program.
let migrations: [Resource] = [
    .embedInCode("0001_apps_credentials_device_tokens.sql"), .embedInCode("0002_refusals.sql"),
    .embedInCode("0003_audit_grants.sql"), .embedInCode("0004_dead_token_feed.sql"),
    .embedInCode("0005_claims_cancellations.sql"), .embedInCode("0006_claim_content.sql"),
    .embedInCode("0007_cancellations.sql"), .embedInCode("0008_token_times.sql"), .embedInCode("0009_cancel_again.sql"),
    .embedInCode("0010_outputs.sql"),
    .embedInCode("0011_long_addresses.sql"),
    .embedInCode("0012_workers.sql"), .embedInCode("0013_worker_reports.sql"),
    .embedInCode("0014_ledger.sql"),
    .embedInCode("0015_pacing.sql"), .embedInCode("0016_paused_apps.sql"),
]

extension Target.Dependency {
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioHTTPTypes = product(name: "NIOHTTPTypes", package: "swift-nio-extras")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioTLS = product(name: "NIOTLS", package: "swift-nio")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
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
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
}

// A target may import only targets that come before it in docs/design.md, "Targets". `make check` verifies this.
let package = Package(
    name: "martlet",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "martlet", targets: ["martlet"]),
        .library(name: "PushModel", targets: ["Addressing", "PushModel"]),
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
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CRabbitMQ"),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq"),
        .systemLibrary(name: "CNGHTTP2"),
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CLinux"),
        .target(name: "Threading", swiftSettings: settings),
        .target(name: "Addressing", swiftSettings: settings),
        .testTarget(name: "AddressingTests", dependencies: ["Addressing"], swiftSettings: settings),
        .target(name: "Pacing", swiftSettings: settings),
        .target(name: "EventNames", dependencies: ["Threading", .logging], swiftSettings: settings),
        .testTarget(name: "PacingTests", dependencies: ["Pacing"], swiftSettings: settings),
        .target(name: "Metering", dependencies: ["Threading"], swiftSettings: settings),
        .testTarget(name: "MeteringTests", dependencies: ["Metering"], swiftSettings: settings),
        .testTarget(name: "ThreadingTests", dependencies: ["Threading"], swiftSettings: settings),
        .target(
            name: "AMQPClient",
            dependencies: ["Addressing", "CRabbitMQ", "EventNames", "Pacing", "Threading", .deque, .logging],
            swiftSettings: settings),
        .target(
            name: "PostgresClient",
            dependencies: [
                "Addressing", "CLibPQ", "EventNames", "Metering", "Pacing", "Threading", .deque, .logging,
                .orderedCollections,
            ],
            swiftSettings: settings),
        .target(name: "HTTP2Session", dependencies: ["CNGHTTP2"], swiftSettings: settings),
        .target(
            name: "HTTP2Channel", dependencies: ["HTTP2Session", .nioCore], swiftSettings: settings),
        .target(
            name: "HTTP2Pool",
            dependencies: [
                "Addressing", "EventNames", "HTTP2Channel", "HTTP2Session", "Metering", "Pacing", "Threading", .logging,
                .nioCore,
                .nioHTTP1,
                .nioPosix, .nioSSL, .nioTLS,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HTTP2PoolTests",
            dependencies: [
                "Addressing", "HTTP2Pool", "HTTP2Session", "TestSupport", "Threading", "WireTestSupport", .logging,
                .nioCore, .nioPosix, .nioSSL,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "AMQPClientTests",
            dependencies: ["Addressing", "AMQPClient", "TestSupport", "TestTraits", "Threading", .logging],
            swiftSettings: settings),
        .target(
            name: "PushModel", dependencies: ["Addressing", "Metering", "Threading", .logging], swiftSettings: settings),
        .target(name: "Traces", dependencies: ["Pacing", "PushModel", .deque], swiftSettings: settings),
        .testTarget(name: "TracesTests", dependencies: ["PushModel", "Traces"], swiftSettings: settings),
        // The conformance suite for outputs. It does not import Testing, so that any package's tests can use it.
        .target(
            name: "OutputConformance", dependencies: ["PushModel", "Threading"], swiftSettings: settings),
        // The example's sources, for the conformance suite. Users build them as a package of their own.
        .target(
            name: "ThirdPartyOutput", dependencies: ["PushModel"],
            path: "examples/third-party-output/Sources/LogbookOutput"),
        .testTarget(
            name: "OutputConformanceTests",
            dependencies: [
                "Addressing", "APNSOutput", "APNSSimulator", "FCMOutput", "FCMSimulator", "MartletOutputs",
                "OutputConformance", "PushModel", "PushSimulator", "Store", "TestSupport", "ThirdPartyOutput",
                "Threading", "WebPushOutput", "WebPushSimulator", "WebhookOutput", "WireTestSupport", .crypto,
                .cryptoExtras, .logging, .nioCore, .nioPosix,
            ],
            swiftSettings: settings),
        .target(
            name: "CredentialFormats", dependencies: ["COpenSSL", "PushModel", .crypto], swiftSettings: settings),
        .target(
            name: "PackageSigning", dependencies: ["CredentialFormats", "PushModel", .crypto], swiftSettings: settings),
        .testTarget(
            name: "PackageSigningTests",
            dependencies: ["CredentialFormats", "PackageSigning", "PushModel", "TestSupport"], exclude: ["Clients"],
            swiftSettings: settings),
        .target(name: "MigrationFiles", path: "migrations", resources: migrations, swiftSettings: settings),
        .target(
            name: "Store",
            dependencies: [
                "CredentialFormats", "EventNames", "MigrationFiles", "Pacing", "PostgresClient", "PushModel",
                "Threading", .crypto,
                .logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PostgresClientTests", dependencies: ["PostgresClient", "TestSupport", "TestTraits", .logging],
            swiftSettings: settings),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "APNSOutput", "CredentialFormats", "PostgresClient", "PushModel", "PushTestSupport", "Store",
                "TestSupport", "TestTraits", "Threading", "WorkerTestSupport", .logging,
            ],
            swiftSettings: settings),
        // The shared code of outputs that send each push separately.
        .target(
            name: "PushSending",
            dependencies: [
                "Addressing", "EventNames", "HTTP2Pool", "Pacing", "PushModel", "Threading", .crypto, .deque, .logging,
                .nioCore,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PushSendingTests", dependencies: ["PushModel", "PushSending", "PushTestSupport"],
            swiftSettings: settings),
        .target(
            name: "APNSOutput",
            dependencies: [
                "Addressing", "CredentialFormats", "EventNames", "HTTP2Pool", "HTTP2Session", "Metering", "Pacing",
                "PushModel",
                "PushSending",
                "Threading", .crypto, .deque,
                .logging, .nioCore, .nioPosix, .nioSSL,
            ],
            swiftSettings: settings),
        .target(
            name: "WebPushOutput",
            dependencies: [
                "Addressing", "CredentialFormats", "EventNames", "HTTP2Pool", "HTTP2Session", "Metering", "Pacing",
                "PushModel",
                "PushSending",
                "Threading", .crypto, .logging, .nioCore, .nioPosix, .nioSSL,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebPushOutputTests",
            dependencies: [
                "Addressing", "PushModel", "PushSending", "PushTestSupport", "Store", "TestSupport", "Threading",
                "WebPushOutput", "WebPushSimulator", "WireTestSupport", .crypto, .logging, .nioCore, .nioPosix,
            ],
            exclude: ["Clients"], swiftSettings: settings),
        .target(
            name: "DeliveryPipeline",
            dependencies: [
                "AMQPClient", "EventNames", "Metering", "Pacing", "PushModel", "Store", "Traces", .deque, .logging,
            ],
            swiftSettings: settings),
        .target(
            name: "PushSimulator",
            dependencies: [
                "Addressing", "HTTP2Channel", "HTTP2Session", "Threading", .crypto, .cryptoExtras, .deque, .hummingbird,
                .lifecycle,
                .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .nioTLS, .swiftASN1, .x509,
            ],
            swiftSettings: settings),
        .target(
            name: "APNSSimulator",
            dependencies: ["HTTP2Session", "PushSimulator", "Threading", .crypto, .logging, .swiftASN1, .x509],
            swiftSettings: settings),
        .target(
            name: "FCMSimulator",
            dependencies: ["HTTP2Session", "PushSimulator", "Threading", .crypto, .cryptoExtras, .logging],
            swiftSettings: settings),
        .target(
            name: "WebPushSimulator",
            dependencies: ["HTTP2Session", "PushSimulator", "Threading", .crypto, .logging], swiftSettings: settings),
        .target(
            name: "PushTestSupport", dependencies: ["PushModel", "Threading"], path: "Tests/Support/PushTestSupport",
            swiftSettings: settings),
        .target(
            name: "WireTestSupport",
            dependencies: [
                "APNSSimulator", "HTTP2Channel", "HTTP2Session", "Threading", .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
            ],
            path: "Tests/Support/WireTestSupport", swiftSettings: settings),
        .testTarget(
            name: "PushModelTests", dependencies: ["PushModel", "PushTestSupport", "TestSupport", "Threading"],
            swiftSettings: settings
        ),
        .target(
            name: "FCMOutput",
            dependencies: [
                "Addressing", "CredentialFormats", "EventNames", "HTTP2Pool", "HTTP2Session", "Metering", "Pacing",
                "PushModel",
                "PushSending",
                "Threading",
                .crypto, .cryptoExtras, .logging, .nioCore, .nioPosix, .nioSSL,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FCMOutputTests",
            dependencies: [
                "Addressing", "FCMOutput", "FCMSimulator", "HTTP2Pool", "HTTP2Session", "Metering",
                "PushModel", "PushSending", "PushTestSupport", "Store", "TestSupport", "Threading", .crypto,
                .cryptoExtras, .logging, .nioCore, .nioPosix,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "APNSOutputTests",
            dependencies: [
                "Addressing", "APNSOutput", "APNSSimulator", "HTTP2Pool", "HTTP2Session", "PushModel", "PushSending",
                "PushTestSupport", "Store", "TestSupport", "Threading", "WireTestSupport", .crypto, .logging, .nioCore,
                .nioPosix, .nioSSL,
            ],
            swiftSettings: settings),
        .testTarget(name: "HTTP2SessionTests", dependencies: ["HTTP2Session", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "HTTP2ChannelTests", dependencies: ["HTTP2Channel", "HTTP2Session", .nioCore, .nioEmbedded],
            swiftSettings: settings),
        .target(
            name: "WebhookOutput",
            dependencies: [
                "Addressing", "CredentialFormats", "HTTP2Pool", "HTTP2Session", "Metering", "Pacing", "PushModel",
                "PushSending", "Threading", .crypto, .logging, .nioCore, .nioPosix, .nioSSL,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebhookOutputTests",
            dependencies: [
                "Addressing", "HTTP2Pool", "PushModel", "PushTestSupport", "TestSupport", "Threading", "WebhookOutput",
                "WireTestSupport", .crypto, .logging, .nioCore, .nioPosix,
            ],
            exclude: ["Clients"], swiftSettings: settings),
        // The shared code of the simulators' tests.
        .target(
            name: "SimulatorTestSupport",
            dependencies: ["HTTP2Channel", "HTTP2Session", "PushSimulator", .nioCore, .nioPosix, .nioSSL],
            path: "Tests/Support/SimulatorTestSupport", swiftSettings: settings),
        .testTarget(
            name: "PushSimulatorTests",
            dependencies: [
                "HTTP2Session", "PushSimulator", "SimulatorTestSupport", "TestSupport", "Threading", .logging, .nioCore,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "APNSSimulatorTests",
            dependencies: [
                "APNSSimulator", "CredentialFormats", "HTTP2Session", "SimulatorTestSupport", "TestSupport",
                "Threading", .crypto, .nioCore, .nioSSL,
            ],
            exclude: ["Clients"], swiftSettings: settings),
        .testTarget(
            name: "FCMSimulatorTests",
            dependencies: [
                "FCMSimulator", "HTTP2Session", "SimulatorTestSupport", "TestSupport", "Threading", .crypto,
                .cryptoExtras, .nioCore,
            ],
            exclude: ["Clients"], swiftSettings: settings),
        .testTarget(
            name: "WebPushSimulatorTests",
            dependencies: [
                "HTTP2Session", "SimulatorTestSupport", "TestSupport", "Threading", "WebPushSimulator", .crypto,
                .nioCore,
            ],
            exclude: ["Clients"], swiftSettings: settings),
        // The outcome ledger, which consumes result events like any other consumer.
        .target(
            name: "Ledger",
            dependencies: [
                "AMQPClient", "DeliveryPipeline", "EventNames", "Pacing", "PostgresClient", "PushModel", "Store",
                "Threading", .crypto, .lifecycle, .logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "LedgerTests", dependencies: ["AMQPClient", "Ledger", "PushModel", "Store", "TestSupport"],
            swiftSettings: settings),
        .target(
            name: "MartletService",
            dependencies: [
                "Addressing", "AMQPClient", "CLinux", "DeliveryPipeline", "EventNames", "HTTP2Pool", "HTTP2Session",
                "Ledger",
                "Metering", "Pacing", "PostgresClient",
                "PushModel", "PushSending",
                "Store", "Threading", "Traces", .configuration, .hummingbird, .lifecycle, .logging, .nioCore, .nioHTTP1,
                .nioHTTPTypes,
                .nioPosix,
                .nioSSL, .unixSignals, .yams,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DeliveryPipelineTests",
            dependencies: [
                "AMQPClient", "DeliveryPipeline", "Metering", "PushModel", "Store", "TestSupport", "Threading",
                "Traces",
                .deque, .logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MartletServiceTests",
            dependencies: [
                "Addressing", "AMQPClient", "APNSOutput", "DeliveryPipeline", "EventNames", "MartletCommand",
                "MartletOutputs",
                "MartletService", "Metering", "Pacing", "PostgresClient", "PushModel", "PushTestSupport", "Store",
                "TestSupport", "TestTraits", "Threading", "Traces", "WireTestSupport", "WorkerTestSupport", .lifecycle,
                .logging,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "martlet-bench",
            dependencies: [
                "Addressing", "APNSOutput", "FCMOutput", "Metering", "PostgresClient", "PushModel", "Store",
                "Threading",
                "WebhookOutput", "WebPushOutput", .argumentParser, .crypto, .logging, .nioCore, .nioHTTP1, .nioPosix,
            ],
            path: "Benchmarks/SendBench",
            swiftSettings: settings),
        .target(
            name: "MartletCommand",
            dependencies: [
                "AMQPClient", "CredentialFormats", "DeliveryPipeline", "Ledger", "MartletService", "PostgresClient",
                "PushModel", "Store", "Threading", .argumentParser, .logging,
            ],
            swiftSettings: settings),
        // The shared code of the commands that run a simulator.
        .target(
            name: "SimulatorCommands",
            dependencies: ["Addressing", "MartletCommand", "PushSimulator", .argumentParser],
            swiftSettings: settings),
        .target(
            name: "APNSCommands",
            dependencies: [
                "Addressing", "APNSOutput", "APNSSimulator", "CredentialFormats", "MartletCommand", "MartletService",
                "PackageSigning", "PushModel", "SimulatorCommands", "Store", .argumentParser, .logging, .nioPosix,
            ],
            swiftSettings: settings),
        .target(
            name: "FCMCommands",
            dependencies: ["Addressing", "FCMSimulator", "MartletCommand", "SimulatorCommands", .argumentParser],
            swiftSettings: settings),
        .target(
            name: "WebPushCommands",
            dependencies: ["Addressing", "MartletCommand", "SimulatorCommands", "WebPushSimulator", .argumentParser],
            swiftSettings: settings),
        .target(
            name: "MartletOutputs",
            dependencies: [
                "APNSCommands", "APNSOutput", "FCMCommands", "FCMOutput", "MartletCommand", "PushModel",
                "WebPushCommands", "WebPushOutput", "WebhookOutput", .argumentParser,
            ],
            swiftSettings: settings),
        .executableTarget(name: "martlet", dependencies: ["MartletOutputs"], swiftSettings: settings),
        // The fuzz targets. `Fuzzing/run` builds them with libFuzzer, and the tests replay the corpus.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Addressing", "AMQPClient", "APNSOutput", "CredentialFormats", "DeliveryPipeline", "FCMOutput",
                "HTTP2Session", "Ledger", "MartletService", "PostgresClient", "PushModel", "Store", "WebhookOutput",
                "WebPushOutput",
            ],
            path: "Fuzzing/FuzzTargets", swiftSettings: settings),
        .testTarget(name: "FuzzCorpusTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: settings),
        // The shared code of tests. It does not import Testing, so that it can be built like any other target.
        .target(
            name: "TestSupport", dependencies: ["Threading", .logging], path: "Tests/Support/TestSupport",
            exclude: ["broker.py"], swiftSettings: settings),
        .target(
            name: "TestTraits", dependencies: ["TestSupport"], path: "Tests/Support/TestTraits", swiftSettings: settings
        ),
        // The shared code of tests that need a broker and a database with a worker's rights.
        .target(
            name: "WorkerTestSupport",
            dependencies: [
                "AMQPClient", "DeliveryPipeline", "PostgresClient", "Store", "TestSupport", "Threading", .logging,
            ],
            path: "Tests/Support/WorkerTestSupport", swiftSettings: settings),
        // The torture run, for `make torture` and for the short run among the tests.
        .target(
            name: "TortureRun",
            dependencies: [
                "AMQPClient", "APNSOutput", "APNSSimulator", "DeliveryPipeline", "FCMOutput", "FCMSimulator",
                "PostgresClient", "PushModel", "PushSimulator", "Store", "TestSupport", "Threading", "WebPushOutput",
                "WebPushSimulator", "WebhookOutput", "WireTestSupport", "WorkerTestSupport", .crypto, .cryptoExtras,
                .logging,
            ],
            path: "Torture/TortureRun", swiftSettings: settings),
        .executableTarget(
            name: "martlet-torture", dependencies: ["TortureRun", .argumentParser], path: "Torture/martlet-torture",
            swiftSettings: settings),
        .testTarget(
            name: "TortureTests",
            dependencies: [
                "PushModel", "Store", "TestSupport", "TestTraits", "TortureRun", "WebPushSimulator", .crypto,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Addressing", "AMQPClient", "APNSOutput", "APNSSimulator", "DeliveryPipeline", "MartletOutputs",
                "PostgresClient", "PushModel", "PushTestSupport", "Store", "TestSupport", "TestTraits", "Threading",
                "WireTestSupport", "WorkerTestSupport", .crypto, .logging, .nioPosix,
            ],
            exclude: ["Clients/Harness"], swiftSettings: settings),
    ]
)
