import Foundation
import PackageSigning
import Testing

@Suite struct PassPackageTests {
    @Test func includesFilesOfPass() throws {
        let files = try SourceFiles.pass()
        // The folder may contain the package of an earlier run.
        try files.write("PK", to: "coffee.pkpass")
        let package = try PassPackage(SourceFolder(path: files.path, output: files.path("coffee.pkpass")))
        #expect(
            package.id == "pass.com.example.coffee" && package.team == "TEAM000001" && package.serialNumber == "0001")
        #expect(
            package.files.map(\.path) == [
                "de.lproj/logo.png", "de.lproj/pass.strings", "en.lproj/pass.strings", "icon.png", "icon@2x.png",
                "pass.json",
            ])
        #expect(package.leftOut == ["manifest.json", "signature"])
    }

    /// `--force` replaces a link to a missing file by the package.
    @Test func ignoresDanglingLinkAtOutput() throws {
        let files = try SourceFiles.pass()
        for name in ["coffee.pkpass", "en.lproj/coffee.pkpass"] {
            try files.link(name, to: "nowhere.pkpass")
            let package = try PassPackage(SourceFolder(path: files.path, output: files.path(name)))
            #expect(!package.files.map(\.path).contains(name))
            #expect(throws: PackageFault("\(name): is a link to a missing file")) {
                try PassPackage(SourceFolder(path: files.path, output: files.path("other.pkpass")))
            }
            try files.remove(name)
        }
    }

    @Test func acceptsJSONInPlaceOfFile() throws {
        let files = try SourceFiles.pass()
        let json = SourceFiles.passJSON.replacingOccurrences(of: "0001", with: "0002")
        try files.remove("pass.json")
        let package = try PassPackage(SourceFolder(path: files.path), json: Array(json.utf8))
        #expect(package.serialNumber == "0002")
        #expect(package.files.last?.bytes == Array(json.utf8))
    }

    @Test(arguments: [
        ("\"formatVersion\": 1", "\"formatVersion\": 2", ["formatVersion: is 2, but must be 1"]),
        ("\"formatVersion\": 1", "\"formatVersion\": \"1\"", ["formatVersion: must be a number, but is a string"]),
        ("\"0001\"", "1", ["serialNumber: must be a string, but is a number"]),
        ("\"0001\"", "\"\"", ["serialNumber: is empty"]),
        ("\"description\"", "\"descripton\"", ["description: is missing"]),
        (
            "storeCard", "card",
            ["boardingPass, coupon, eventTicket, generic, storeCard: one of them is required"]
        ),
        (
            "\"storeCard\": {", "\"coupon\": {}, \"storeCard\": {",
            [
                "boardingPass, coupon, eventTicket, generic, storeCard: only one of them is allowed, but "
                    + "coupon and storeCard are given"
            ]
        ),
        ("storeCard", "boardingPass", ["boardingPass: transitType: is missing"]),
        ("\"storeCard\": {", "\"storeCard\": [], \"x\": {", ["storeCard: must be an object, but is an array"]),
        ("https://example.com", "http://example.com", ["webServiceURL: must begin with https:// and a host"]),
        ("webServiceURL", "serviceURL", ["webServiceURL: is missing"]),
        (
            "vxwxd7J8AlNNFPS8k0a0FfUFtq0ewzFdc", "short",
            ["authenticationToken: has 5 characters: Apple requires at least 16"]
        ),
        ("\"description\"", "\"serialNumber\"", ["serialNumber: is given twice", "description: is missing"]),
        (
            "\"teamIdentifier\": \"TEAM000001\",", "",
            ["teamIdentifier: is missing"]
        ),
        (
            "\"serialNumber\": \"0001\",", "\"serialNumber\": \"0001\"",
            ["line 6: is not a JSON object: expected ',' or the closing bracket"]
        ),
    ])
    func reportsInvalidFieldOfPass(old: String, new: String, faults: [String]) throws {
        let files = try SourceFiles.pass()
        try files.replace(old, by: new, in: "pass.json")
        #expect(try fault(files) == faults.map { "pass.json: \($0)" })
    }

    @Test func rejectsInvalidFiles() throws {
        func expect(_ faults: String..., after change: (SourceFiles) throws -> Void) throws {
            let files = try SourceFiles.pass()
            try change(files)
            #expect(try fault(files) == faults)
        }
        try expect("pass.json: is missing") { try $0.remove("pass.json") }
        try expect("icon.png: is missing: a pass requires icon.png or icon@2x.png") {
            try $0.remove("icon.png")
            try $0.remove("icon@2x.png")
        }
        try expect("icon.png: is not a PNG") { try $0.write("GIF89a", to: "icon.png") }
        try expect("images: is a folder: a pass may have language folders only, such as en.lproj") {
            try $0.write("a", to: "images/a.png")
        }
        try expect("en.lproj/more: is a folder inside a language folder") { try $0.write("a", to: "en.lproj/more/a") }
        try expect("logo.png: is a link to a file outside the folder: copy the file into the folder") {
            try $0.link("logo.png", to: "/etc/passwd")
        }
        try expect("fr.lproj: is a link to a file outside the folder: copy the file into the folder") {
            try $0.link("fr.lproj", to: "..")
        }
        try expect("logo.png: is a link to a missing file") { try $0.link("logo.png", to: "nowhere.png") }
        try expect("a\\b: has a character in its name that some programs cannot unpack") {
            try $0.write("a", to: "a\\b")
        }
        try expect(
            "caf\u{FFFD}.png: has a name that is not UTF-8", "en.lproj/caf\u{FFFD}.png: has a name that is not UTF-8"
        ) {
            for folder in [$0.path, $0.path("en.lproj")] {
                let name = "\(folder)/caf".utf8CString.dropLast() + [CChar(bitPattern: 0xE9)] + ".png".utf8CString
                close(creat(Array(name), 0o600))
            }
        }
        try expect("pass.json: begins with a byte order mark: save it as UTF-8 without one") {
            try $0.write("\u{FEFF}" + SourceFiles.passJSON, to: "pass.json")
        }
        try expect("pass.json: is not UTF-8") { try $0.write(Data([0x7B, 0xFF, 0x7D]), to: "pass.json") }
        try expect("video.bin: too large: a package may have at most 64 MiB") {
            try $0.write(Data(count: SourceFolder.greatestSize + 1), to: "video.bin")
        }
    }

    /// A mounted ConfigMap contains such links.
    @Test func acceptsLinksWithinFolder() throws {
        let files = try SourceFiles.pass()
        try files.write(SourceFiles.png(50), to: "..data/logo.png")
        try files.link("logo.png", to: "..data/logo.png")
        let package = try PassPackage(SourceFolder(path: files.path))
        #expect(package.files.contains(PackageFile(path: "logo.png", bytes: Array(SourceFiles.png(50)))))
        #expect(!package.files.contains { $0.path.hasPrefix("..") })
    }

    private func fault(_ files: SourceFiles) throws -> [String] {
        do throws(PackageFault) {
            _ = try PassPackage(SourceFolder(path: files.path))
            return []
        } catch let fault {
            return fault.lines
        }
    }
}
