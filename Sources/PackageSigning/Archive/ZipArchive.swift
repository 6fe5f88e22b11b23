/// A writer for zip archives (APPNOTE 6.3) of a few small files. Files are stored uncompressed, because icons are
/// already compressed.
enum ZipArchive {
    /// The maximum number of files in an archive. The count of 65,535 is reserved, because it refers readers to a Zip64
    /// structure.
    static let mostFiles = 65_534

    /// Returns an archive of the files. Files are sorted by path and dated 1 January 1980, so the same files always
    /// give the same bytes.
    ///
    /// The caller ensures that the files have less than 4 GiB in total and that there are at most ``mostFiles``.
    static func bytes(of files: [PackageFile]) -> [UInt8] {
        var archive: [UInt8] = []
        var directory: [UInt8] = []
        let files = files.sorted { $0.path < $1.path }
        for file in files {
            let common = Self.common(of: file)
            let start = archive.count
            archive.append32(0x0403_4B50)
            archive += common
            archive += file.path.utf8
            archive += file.bytes

            directory.append32(0x0201_4B50)
            // The archive was made on Unix, with version 2.0 of the format.
            directory.append16(3 << 8 | 20)
            directory += common
            // The length of the comment, the number of the disk, and the attribute for binary content.
            for _ in 0..<3 { directory.append16(0) }
            // The permissions of a regular file that everyone may read.
            directory.append32(0o100644 << 16)
            directory.append32(start)
            directory += file.path.utf8
        }
        let start = archive.count
        archive += directory
        archive.append32(0x0605_4B50)
        archive.append16(0)
        archive.append16(0)
        archive.append16(files.count)
        archive.append16(files.count)
        archive.append32(directory.count)
        archive.append32(start)
        archive.append16(0)
        return archive
    }

    /// Returns the fields that are common to the local and the central header of a file, up to the length of the extra
    /// field.
    private static func common(of file: PackageFile) -> [UInt8] {
        var header: [UInt8] = []
        header.append16(20)
        // Bit 11 states that the name is UTF-8.
        header.append16(1 << 11)
        // The file is stored without compression.
        header.append16(0)
        // The modification time and date: 1 January 1980, 0:00.
        header.append16(0)
        header.append16(1 << 5 | 1)
        header.append32(Int(CRC32.checksum(of: file.bytes)))
        header.append32(file.bytes.count)
        header.append32(file.bytes.count)
        header.append16(file.path.utf8.count)
        header.append16(0)
        return header
    }
}

extension [UInt8] {
    fileprivate mutating func append16(_ value: Int) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    fileprivate mutating func append32(_ value: Int) {
        append16(value)
        append16(value >> 16)
    }
}
