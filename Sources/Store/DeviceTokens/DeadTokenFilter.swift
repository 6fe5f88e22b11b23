/// Tells of most tokens at once that they are not marked dead. A token that it does not clear may be dead, or not: the
/// database knows.
///
/// A Bloom filter whose bits for one token lie in one block of 32 bytes, one bit in each of eight words (Putze,
/// Sanders, Singler: "Cache-, Hash- and Space-Efficient Bloom Filters", 2009): a look is one cache miss at most, and
/// a token that is not in it is mostly cleared by the first word or the second. With 16 bits for each token, one in
/// a thousand is a false positive; an overfull filter has more of them, and one that is full clears no token.
public struct DeadTokenFilter: Sendable {
    /// At which fill the promise above holds.
    static let bytesPerToken = 2
    private static let wordsPerBlock = 8
    private static let smallestCapacity = 1 << 16

    private var words: [UInt32]
    private let blocks: UInt64
    /// How many were put in, those left out that looked as if they were there already.
    public private(set) var count = 0
    /// How many may be put in before it has more false positives than that.
    public let capacity: Int

    /// - Parameters:
    ///   - count: how many tokens are expected; half as many again are allowed for.
    ///   - maximumBytes: what it takes at most, at least 32.
    public init(expecting count: Int, maximumBytes: Int) {
        let blockBytes = Self.wordsPerBlock * 4
        let wanted = max(count + count / 2, Self.smallestCapacity)
        let blocks = max(1, min(wanted * Self.bytesPerToken, maximumBytes) / blockBytes)
        words = Array(repeating: 0, count: blocks * Self.wordsPerBlock)
        self.blocks = UInt64(blocks)
        capacity = blocks * blockBytes / Self.bytesPerToken
    }

    public var bytes: Int { words.count * 4 }

    public mutating func insert(_ hash: UInt64) {
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

    /// false: it was not put in.
    public func mayContain(_ hash: UInt64) -> Bool {
        let block = block(of: hash)
        return words.withUnsafeBufferPointer { words in
            for word in 0..<Self.wordsPerBlock where words[block + word] & Self.bit(word, hash) == 0 { return false }
            return true
        }
    }

    /// Chosen by other bits of the hash than the bits within it.
    private func block(of hash: UInt64) -> Int {
        Int((hash &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: blocks).high) * Self.wordsPerBlock
    }

    private static func bit(_ word: Int, _ hash: UInt64) -> UInt32 {
        1 << (UInt32(truncatingIfNeeded: hash &>> UInt64(word * 5)) & 31)
    }
}
