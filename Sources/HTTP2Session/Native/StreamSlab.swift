/// A slab that stores stream records in one block of memory. A record's index stays the same while its stream is open.
/// The slab grows to the largest number of streams that were open at once, and reuses that memory without further
/// allocations.
struct StreamSlab: ~Copyable {
    private var records: UnsafeMutablePointer<StreamRecord>
    private(set) var capacity: Int
    private var firstFree: Int32 = -1
    private var initialized = 0
    /// The number of open streams.
    private(set) var count = 0

    init(capacity: Int = 16) {
        self.capacity = capacity
        records = .allocate(capacity: capacity)
    }

    deinit {
        records.deinitialize(count: initialized)
        records.deallocate()
    }

    subscript(index: Int) -> UnsafeMutablePointer<StreamRecord> {
        records + index
    }

    mutating func insert(_ record: consuming StreamRecord) -> Int {
        count += 1
        if firstFree >= 0 {
            let index = Int(firstFree)
            firstFree = records[index].nextFree
            records[index] = record
            return index
        }
        if initialized == capacity {
            grow()
        }
        (records + initialized).initialize(to: record)
        initialized += 1
        return initialized - 1
    }

    /// Releases the contents of a record and makes its index available again.
    mutating func remove(_ index: Int) {
        records[index] = StreamRecord()
        records[index].nextFree = firstFree
        firstFree = Int32(truncatingIfNeeded: index)
        count -= 1
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<StreamRecord>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: records, count: initialized)
        records.deallocate()
        records = larger
        capacity *= 2
    }
}
