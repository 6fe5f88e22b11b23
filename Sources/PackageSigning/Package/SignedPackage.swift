/// Files with their manifest and its signature, as a zip archive.
package enum SignedPackage {
    /// Two of the same files and time differ in nothing but the signature.
    ///
    /// - Throws: ``PackageFault`` if there are too many, or if OpenSSL can't sign with it.
    package static func archive(
        _ files: [PackageFile], _ manifest: Manifest, by identity: SigningIdentity
    ) throws(PackageFault) -> [UInt8] {
        // Two are made here.
        guard files.count <= ZipArchive.mostFiles - 2 else {
            throw PackageFault("\(files.count) files: too many: a package has at most \(ZipArchive.mostFiles - 2)")
        }
        let list = manifest.json(of: files)
        let signature = PackageFile(path: "signature", bytes: try identity.sign(list))
        return ZipArchive.bytes(of: files + [PackageFile(path: "manifest.json", bytes: list), signature])
    }
}
