/// How a job of many recipients becomes chunks: so many at a time that memory stays bounded, the next as soon as the
/// broker has confirmed one. A value; confirms go in, chunks come out.
struct ChunkPlan {
    struct Chunk: Equatable {
        /// From 1.
        let number: Int
        let recipients: Range<Int>
    }

    let recipients: Int
    let size: Int
    private(set) var published = 0

    mutating func next() -> Chunk? {
        let start = published * size
        guard start < recipients else { return nil }
        published += 1
        return Chunk(number: published, recipients: start..<min(start + size, recipients))
    }
}
