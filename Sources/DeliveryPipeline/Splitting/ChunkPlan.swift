/// The chunks of a large job. Only a limited number of chunks is published at a time, so that memory stays bounded. The
/// next chunk follows when the broker has confirmed an earlier one. A value type without clock or I/O.
struct ChunkPlan {
    let recipients: Int
    let size: Int
    private(set) var published = 0

    /// The number of recipients in the chunks published so far.
    var passedOn: Int { min(published * size, recipients) }

    /// Returns the range of recipients in the next chunk, or `nil` after the last one.
    mutating func next() -> Range<Int>? {
        let start = published * size
        guard start < recipients else { return nil }
        published += 1
        return start..<min(start + size, recipients)
    }
}
