/// A website push package. Safari requests the package from a site before it asks the user for permission (Apple:
/// "Configuring Safari Push Notifications").
package struct WebsitePackage {
    package static let description = "website.json"

    /// The website push id. The certificate must be for the same id.
    package let id: String
    package let files: [PackageFile]
    /// The names of files in the folder that are not included in the package, except the names that
    /// ``SourceFolder/names(in:)`` omits.
    package let leftOut: [String]

    private static let keys = [
        "websiteName", "websitePushID", "allowedDomains", "urlFormatString", "authenticationToken", "webServiceURL",
    ]
    private static let iconFolder = "icon.iconset"
    /// The names of the icons, and the lengths of their sides in pixels. Safari accepts no other icons.
    private static let icons = [
        ("icon_16x16.png", 16), ("icon_16x16@2x.png", 32), ("icon_32x32.png", 32), ("icon_32x32@2x.png", 64),
        ("icon_128x128.png", 128), ("icon_128x128@2x.png", 256),
    ]

    /// Reads and checks a website's files.
    ///
    /// - Parameter json: the contents to use instead of the folder's website.json, or `nil`.
    /// - Throws: ``PackageFault`` with all faults that were found.
    package init(_ folder: SourceFolder, json: [UInt8]? = nil) throws(PackageFault) {
        var faults: [String] = []
        var icons: [PackageFile] = []
        for (name, side) in Self.icons {
            let path = "\(Self.iconFolder)/\(name)"
            do throws(PackageFault) {
                icons.append(PackageFile(path: path, bytes: try Self.icon(path, side: side, in: folder)))
            } catch let fault {
                faults += fault.lines
            }
        }
        let website: [UInt8]
        do throws(PackageFault) {
            website = if let json { json } else { try Self.description(in: folder) }
            id = try Self.checked(website)
        } catch let fault {
            throw PackageFault(fault.lines + faults)
        }
        guard faults.isEmpty else { throw PackageFault(faults) }
        files = icons + [PackageFile(path: Self.description, bytes: website)]
        let own: Set<String> = [Self.description, Self.iconFolder]
        let known = Set(Self.icons.map(\.0))
        leftOut =
            try folder.names().filter { !own.contains($0) }
            + folder.names(in: Self.iconFolder).filter { !known.contains($0) }.map { "\(Self.iconFolder)/\($0)" }
    }

    private static func description(in folder: SourceFolder) throws(PackageFault) -> [UInt8] {
        guard try folder.entry(description) == .file else { throw PackageFault("\(description): is missing") }
        return try folder.bytes(of: description)
    }

    private static func icon(_ path: String, side: Int, in folder: SourceFolder) throws(PackageFault) -> [UInt8] {
        guard try folder.entry(path) == .file else { throw PackageFault("\(path): is missing") }
        let bytes = try folder.bytes(of: path)
        guard let size = PNGSize(bytes) else { throw PackageFault("\(path): is not a PNG") }
        guard size == PNGSize(width: side, height: side) else {
            throw PackageFault("\(path): has \(size) pixels, but must have \(side)×\(side)")
        }
        return bytes
    }

    /// Checks website.json and returns the website push id.
    private static func checked(_ json: [UInt8]) throws(PackageFault) -> String {
        var members = try JSONMembers(json, of: description)
        for key in members.keys where !keys.contains(key) {
            members.fault(key, "is not a key of website.json; the keys are \(keys.joined(separator: ", "))")
        }
        _ = members.text("websiteName")
        let id = members.text("websitePushID")
        if let id, !id.hasPrefix("web.") { members.fault("websitePushID", "is \(id), but must begin with web.") }
        for domain in members.texts("allowedDomains") ?? [] {
            let host = domain.split(separator: "://", maxSplits: 1).last ?? ""
            if !JSONMembers.isURL(domain, schemes: ["https://", "http://"]) || host.contains("/") {
                members.fault("allowedDomains", "\(domain) must be http(s):// and a host, without path or slash")
            }
        }
        _ = members.checkURL("urlFormatString", schemes: ["https://", "http://"])
        members.checkToken("authenticationToken")
        if let service = members.checkURL("webServiceURL", schemes: ["https://"]), service.hasSuffix("/") {
            members.fault("webServiceURL", "must not end with a slash: Safari adds /v2/pushPackages/…")
        }
        try members.check()
        return id ?? ""
    }
}
