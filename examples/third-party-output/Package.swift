// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "third-party-output",
    platforms: [.macOS(.v15)],
    // In a package of your own: .package(url: "https://…/martlet", from: "…").
    dependencies: [.package(name: "martlet", path: "../..")],
    targets: [
        .target(
            name: "NtfyOutput",
            dependencies: [
                .product(name: "CredentialFormats", package: "martlet"),
                .product(name: "PushModel", package: "martlet"), .product(name: "PushSending", package: "martlet"),
            ]),
        .executableTarget(
            name: "martlet-ntfy",
            dependencies: ["NtfyOutput", .product(name: "MartletOutputs", package: "martlet")]),
    ]
)
