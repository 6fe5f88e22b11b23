/// How a job of many recipients becomes chunks: so many at a time that memory stays bounded, the next as soon as the
/// broker has confirmed one. A value; confirms go in, chunks come out.
struct ChunkPlan {
    let recipients: Int
    let size: Int
    private(set) var published = 0

    /// Recipients of the chunks so far.
    var passedOn: Int { min(published * size, recipients) }

    /// - Returns: the places of its recipients.
    mutating func next() -> Range<Int>? {
        let start = published * size
        guard start < recipients else { return nil }
        published += 1
        return start..<min(start + size, recipients)
    }
}
