import Foundation

/// A temporary folder with the source files of a package.
final class SourceFiles: Sendable {
    let folder: URL

    init(_ files: [String: Data] = [:]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "martlet-sign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (path, data) in files { try write(data, to: path) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.path }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func write(_ data: Data, to name: String) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

    func remove(_ name: String) throws { try FileManager.default.removeItem(at: folder.appending(path: name)) }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
    }

    /// Replaces a text in a file. Throws if the file does not contain it.
    func replace(_ old: String, by new: String, in name: String) throws {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        guard text.contains(old) else { throw CocoaError(.fileReadCorruptFile) }
        try write(text.replacingOccurrences(of: old, with: new), to: name)
    }
}

extension SourceFiles {
    static let passJSON = """
        {
          "formatVersion": 1,
          "passTypeIdentifier": "pass.com.example.coffee",
          "teamIdentifier": "TEAM000001",
          "serialNumber": "0001",
          "organizationName": "Caf\\u00e9",
          "description": "A card for coffee",
          "webServiceURL": "https://example.com/passes/",
          "authenticationToken": "vxwxd7J8AlNNFPS8k0a0FfUFtq0ewzFdc",
          "storeCard": {"primaryFields": [{"key": "balance", "label": "cups", "value": 4}]}
        }
        """

    static let websiteJSON = """
        {
          "websiteName": "Bay Airlines",
          "websitePushID": "web.com.example.domain",
          "allowedDomains": ["https://domain.example.com"],
          "urlFormatString": "https://domain.example.com/%@/?flight=%@",
          "authenticationToken": "19f8d7a6e9fb8a7f6d9330dabe",
          "webServiceURL": "https://example.com/push"
        }
        """

    /// Returns the files of a pass, and files that Finder and an earlier signing have left in the folder.
    static func pass() throws -> SourceFiles {
        try SourceFiles([
            "pass.json": Data(passJSON.utf8), "icon.png": png(29), "icon@2x.png": png(58),
            "en.lproj/pass.strings": Data("\"cups\" = \"cups\";".utf8),
            "de.lproj/pass.strings": Data("\"cups\" = \"Tassen\";".utf8),
            "de.lproj/logo.png": png(160), ".DS_Store": Data("finder".utf8), "__MACOSX/._icon.png": Data("finder".utf8),
            "en.lproj/.DS_Store": Data("finder".utf8), "manifest.json": Data("{}".utf8), "signature": Data("old".utf8),
        ])
    }

    static func website() throws -> SourceFiles {
        let files = try SourceFiles([
            "website.json": Data(websiteJSON.utf8), ".DS_Store": Data("finder".utf8),
            "icon.iconset/.DS_Store": Data("finder".utf8), "icon.iconset/icon_512x512.png": png(512),
        ])
        for side in [16, 32, 128] {
            try files.write(png(side), to: "icon.iconset/icon_\(side)x\(side).png")
            try files.write(png(2 * side), to: "icon.iconset/icon_\(side)x\(side)@2x.png")
        }
        return files
    }

    /// Returns the first bytes of a PNG file. The checks read no further.
    static func png(_ side: Int) -> Data {
        let size = Data([0, 0, UInt8(side >> 8), UInt8(side & 0xFF)])
        return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]) + Data("IHDR".utf8) + size + size
            + Data([8, 6, 0, 0, 0])
    }
}
