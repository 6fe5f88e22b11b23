// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "third-party-output",
    platforms: [.macOS(.v15)],
    // In a package of your own: .package(url: "https://…/martlet", from: "…").
    dependencies: [.package(name: "martlet", path: "../..")],
    targets: [
        .target(name: "LogbookOutput", dependencies: [.product(name: "PushModel", package: "martlet")]),
        .executableTarget(
            name: "martlet-logbook",
            dependencies: ["LogbookOutput", .product(name: "MartletOutputs", package: "martlet")]),
    ]
)
