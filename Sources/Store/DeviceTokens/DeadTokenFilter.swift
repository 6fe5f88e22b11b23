/// A filter for dead tokens. A token that is not in the filter is certainly not marked dead. For any other token, only
/// the database can decide.
///
/// The filter is a Bloom filter. The bits of one token lie in one block of 32 bytes, one bit in each of its eight words
/// (Putze, Sanders, Singler: "Cache-, Hash- and Space-Efficient Bloom Filters", 2009). A lookup therefore costs at most
/// one cache miss. If a token is not in the filter, the first or second word usually shows this. With 16 bits per
/// token, one lookup in a thousand is a false positive. An overfull filter has more false positives. If all bits are
/// set, every token seems to be in the filter.
package struct DeadTokenFilter: Sendable {
    /// The number of bytes per token with which one lookup in a thousand is a false positive.
    static let bytesPerToken = 2
    private static let wordsPerBlock = 8
    private static let smallestCapacity = 1 << 16

    private var words: [UInt32]
    private let blocks: UInt64
    /// The number of inserted tokens. Tokens that already seemed to be in the filter are not counted.
    package private(set) var count = 0
    /// The maximum number of tokens with which at most one lookup in a thousand is a false positive.
    package let capacity: Int

    /// Creates an empty filter.
    ///
    /// - Parameters:
    ///   - count: the expected number of tokens. The filter has room for 50 % more if `maximumBytes` allows it.
    ///   - maximumBytes: the maximum size of the filter, at least 32 bytes.
    package init(expecting count: Int, maximumBytes: Int) {
        let blockBytes = Self.wordsPerBlock * 4
        let wanted = max(count + count / 2, Self.smallestCapacity)
        let blocks = max(1, min(wanted * Self.bytesPerToken, maximumBytes) / blockBytes)
        words = Array(repeating: 0, count: blocks * Self.wordsPerBlock)
        self.blocks = UInt64(blocks)
        capacity = blocks * blockBytes / Self.bytesPerToken
    }

    package var bytes: Int { words.count * 4 }

    package mutating func insert(_ hash: UInt64) {
        let block = block(of: hash)
        var isNew = false
        words.withUnsafeMutableBufferPointer { words in
            for word in 0..<Self.wordsPerBlock {
                let bit = Self.bit(word, hash)
                if words[block + word] & bit == 0 { isNew = true }
                words[block + word] |= bit
            }
        }
        if isNew { count += 1 }
    }

    /// Returns whether the token may be in the filter. The answer `false` is certain.
    package func mayContain(_ hash: UInt64) -> Bool {
        let block = block(of: hash)
        return words.withUnsafeBufferPointer { words in
            for word in 0..<Self.wordsPerBlock where words[block + word] & Self.bit(word, hash) == 0 { return false }
            return true
        }
    }

    /// Returns the index of the first word of the token's block. The hash is multiplied first, so that the choice of
    /// the block is not correlated with the choice of the bits within it.
    private func block(of hash: UInt64) -> Int {
        Int((hash &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: blocks).high) * Self.wordsPerBlock
    }

    private static func bit(_ word: Int, _ hash: UInt64) -> UInt32 {
        1 << (UInt32(truncatingIfNeeded: hash &>> UInt64(word * 5)) & 31)
    }
}
