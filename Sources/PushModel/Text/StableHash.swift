/// The same in every process.
package enum StableHash {
    /// Where a text falls between 0 and 1, which it does not reach (FNV-1a, and its bits spread).
    package static func part(of text: String) -> Double {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        return Double((hash ^ (hash >> 33)) >> 11) / Double(1 << 53)
    }
}
