/// A file of a package, with its path in the package.
package struct PackageFile: Sendable, Hashable {
    package let path: String
    package let bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}
