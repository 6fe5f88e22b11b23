/// A pass for Wallet (Apple: "Building a pass", "Wallet Passes").
package struct PassPackage {
    package static let description = "pass.json"

    /// The pass type identifier. The certificate must be for the same identifier.
    package let id: String
    package let team: String
    package let serialNumber: String
    package let files: [PackageFile]
    /// The names of ``made`` files in the folder, which are not included in the package.
    package let leftOut: [String]

    private static let styles = ["boardingPass", "coupon", "eventTicket", "generic", "storeCard"]
    private static let icons = ["icon.png", "icon@2x.png", "icon@3x.png"]
    /// The files that signing always creates anew. If the folder is an unpacked pass, its own copies of these files are
    /// left out.
    private static let made: Set<String> = ["manifest.json", "signature"]
    private static let localization = ".lproj"

    /// Reads and checks a pass.
    ///
    /// - Parameter json: the contents to use instead of the folder's pass.json, or `nil`.
    /// - Throws: ``PackageFault`` with all faults that were found.
    package init(_ folder: SourceFolder, json: [UInt8]? = nil) throws(PackageFault) {
        var faults: [String] = []
        var files: [PackageFile] = []
        do throws(PackageFault) {
            files = try Self.files(in: folder).filter { json == nil || $0.path != Self.description }
        } catch let fault {
            faults += fault.lines
        }
        if let json { files.append(PackageFile(path: Self.description, bytes: json)) }
        for file in files where file.path.lowercased().hasSuffix(".png") && PNGSize(file.bytes) == nil {
            faults.append("\(file.path): is not a PNG")
        }
        if faults.isEmpty, !files.contains(where: { Self.icons.contains($0.path) }) {
            faults.append("icon.png: is missing: a pass requires icon.png or icon@2x.png")
        }
        do throws(PackageFault) {
            guard let pass = files.first(where: { $0.path == Self.description }) else {
                throw PackageFault(faults.isEmpty ? ["\(Self.description): is missing"] : [])
            }
            (id, team, serialNumber) = try Self.checked(pass.bytes)
        } catch let fault {
            throw PackageFault(fault.lines + faults)
        }
        guard faults.isEmpty else { throw PackageFault(faults) }
        self.files = files.sorted { $0.path < $1.path }
        leftOut = try folder.names().filter(Self.made.contains)
    }

    /// Returns the files of the folder and of its language folders, such as `en.lproj/pass.strings`.
    private static func files(in folder: SourceFolder) throws(PackageFault) -> [PackageFile] {
        var faults: [String] = []
        var paths: [String] = []
        for name in try folder.names() where !made.contains(name) {
            switch try folder.entry(name) {
            case .file: paths.append(name)
            case .folder where name.hasSuffix(localization) && name != localization:
                for inner in try folder.names(in: name) {
                    let path = "\(name)/\(inner)"
                    switch try folder.entry(path) {
                    case .file: paths.append(path)
                    case .folder: faults.append("\(path): is a folder inside a language folder")
                    case nil: faults.append(SourceFolder.missing(path))
                    }
                }
            case .folder: faults.append("\(name): is a folder: a pass may have language folders only, such as en.lproj")
            case nil: faults.append(SourceFolder.missing(name))
            }
        }
        for path in paths where path.contains("\\") || path.unicodeScalars.contains(where: { $0.value < 0x20 }) {
            faults.append("\(path): has a character in its name that some programs cannot unpack")
        }
        guard faults.isEmpty else { throw PackageFault(faults) }
        var room = SourceFolder.greatestSize
        return try paths.map { (path) throws(PackageFault) in
            let file = PackageFile(path: path, bytes: try folder.bytes(of: path, room: room))
            room -= file.bytes.count
            return file
        }
    }

    private static func checked(
        _ json: [UInt8]
    ) throws(PackageFault) -> (id: String, team: String, serialNumber: String) {
        var members = try JSONMembers(json, of: description)
        _ = members.text("description")
        if let version = members.number("formatVersion"), version != "1" {
            members.fault("formatVersion", "is \(version), but must be 1")
        }
        _ = members.text("organizationName")
        let id = members.text("passTypeIdentifier")
        let serialNumber = members.text("serialNumber")
        let team = members.text("teamIdentifier")
        let styles = styles.filter(members.has)
        if styles.count != 1 {
            members.fault(
                Self.styles.joined(separator: ", "),
                styles.isEmpty
                    ? "one of them is required"
                    : "only one of them is allowed, but \(styles.joined(separator: " and ")) are given")
        }
        for style in styles {
            guard var fields = try members.object(style) else { continue }
            if style == "boardingPass" { _ = fields.text("transitType") }
            members.take(faultsOf: fields)
        }
        if members.has("webServiceURL") || members.has("authenticationToken") {
            _ = members.checkURL("webServiceURL", schemes: ["https://"])
            members.checkToken("authenticationToken")
        }
        try members.check()
        return (id ?? "", team ?? "", serialNumber ?? "")
    }
}
