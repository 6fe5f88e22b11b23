/// A function that makes packages. A package is a zip archive of files, their manifest, and the signature of the
/// manifest.
package enum SignedPackage {
    /// Returns the archive of a package. Archives of the same files differ only in the signature.
    ///
    /// - Throws: ``PackageFault`` if there are too many files, or if OpenSSL cannot sign with the identity.
    package static func archive(
        _ files: [PackageFile], _ manifest: Manifest, by identity: SigningIdentity
    ) throws(PackageFault) -> [UInt8] {
        // The manifest and the signature are added below.
        guard files.count <= ZipArchive.mostFiles - 2 else {
            throw PackageFault("\(files.count) files are too many: the maximum is \(ZipArchive.mostFiles - 2)")
        }
        let list = manifest.json(of: files)
        let signature = PackageFile(path: "signature", bytes: try identity.sign(list))
        return ZipArchive.bytes(of: files + [PackageFile(path: "manifest.json", bytes: list), signature])
    }
}
