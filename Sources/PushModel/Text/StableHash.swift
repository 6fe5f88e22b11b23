/// A hash function that returns the same value in every process.
package enum StableHash {
    /// Returns the hash of a string as a number from 0 up to, but not including, 1 (FNV-1a with its bits mixed
    /// afterwards).
    package static func part(of text: String) -> Double {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        return Double((hash ^ (hash >> 33)) >> 11) / Double(1 << 53)
    }
}
