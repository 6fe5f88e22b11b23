import Foundation
import PackageSigning
import Testing

@Suite struct WebsitePackageTests {
    @Test func includesFilesThatSafariUses() throws {
        let files = try SourceFiles.website()
        let package = try WebsitePackage(SourceFolder(path: files.path))
        #expect(package.id == "web.com.example.domain")
        #expect(package.files.count == 7 && package.files.last?.path == "website.json")
        #expect(package.leftOut == ["icon.iconset/icon_512x512.png"])
    }

    @Test(arguments: [
        ("web.com", "com", ["websitePushID: is com.example.domain, but must begin with web."]),
        ("[\"https://domain.example.com\"]", "[]", ["allowedDomains: is empty"]),
        ("[\"https://domain.example.com\"]", "\"x\"", ["allowedDomains: must be an array of strings, but is a string"]),
        ("[\"https://domain.example.com\"]", "[\"a\", 1]", ["allowedDomains: must be an array of strings"]),
        (
            "[\"https://domain.example.com\"]", "[\"https://domain.example.com/\"]",
            ["allowedDomains: https://domain.example.com/ must be http(s):// and a host, without path or slash"]
        ),
        (
            "\"https://domain.example.com/%@", "\"shop://%@",
            ["urlFormatString: must begin with https:// or http:// and a host"]
        ),
        ("19f8d7a6e9fb8a7f6d9330dabe", "1", ["authenticationToken: has 1 characters: Apple requires at least 16"]),
        ("com/push", "com/push/", ["webServiceURL: must not end with a slash: Safari adds /v2/pushPackages/…"]),
        (
            "webServiceURL", "webServiceUrl",
            [
                "webServiceUrl: is not a key of website.json; the keys are websiteName, websitePushID, allowedDomains, urlFormatString, authenticationToken, webServiceURL",
                "webServiceURL: is missing",
            ]
        ),
    ])
    func reportsInvalidFieldOfWebsite(old: String, new: String, faults: [String]) throws {
        let files = try SourceFiles.website()
        try files.replace(old, by: new, in: "website.json")
        #expect(try fault(files) == faults.map { "website.json: \($0)" })
    }

    @Test func reportsAllInvalidIcons() throws {
        let files = try SourceFiles.website()
        try files.remove("website.json")
        try files.write(SourceFiles.png(32), to: "icon.iconset/icon_16x16.png")
        try files.write("JFIF", to: "icon.iconset/icon_32x32.png")
        try files.remove("icon.iconset/icon_128x128@2x.png")
        #expect(
            try fault(files) == [
                "website.json: is missing", "icon.iconset/icon_16x16.png: has 32×32 pixels, but must have 16×16",
                "icon.iconset/icon_32x32.png: is not a PNG", "icon.iconset/icon_128x128@2x.png: is missing",
            ])
    }

    private func fault(_ files: SourceFiles) throws -> [String] {
        do throws(PackageFault) {
            _ = try WebsitePackage(SourceFolder(path: files.path))
            return []
        } catch let fault {
            return fault.lines
        }
    }
}
