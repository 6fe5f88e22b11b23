internal import CNGHTTP2

/// Memory for the field list of one request or response. It is reused for the next list.
struct FieldScratch: ~Copyable {
    private(set) var fields: UnsafeMutablePointer<nghttp2_nv>
    private(set) var count = 0
    private var capacity = 32

    init() {
        fields = .allocate(capacity: capacity)
    }

    deinit {
        fields.deallocate()
    }

    mutating func removeAll() {
        count = 0
    }

    mutating func append(_ field: nghttp2_nv) {
        reserve(1)
        fields[count] = field
        count += 1
    }

    mutating func append(_ list: HTTP2Fields, from start: Int, to end: Int) {
        let added = end - start
        reserve(added)
        (fields + count).update(from: list.native + start, count: added)
        count += added
    }

    /// Appends a field whose value the library copies when the list is submitted. The value must stay valid until then.
    mutating func append(name: StaticString, copying value: UnsafeRawBufferPointer) {
        append(
            nghttp2_nv(
                name: UnsafeMutablePointer(mutating: name.utf8Start),
                value: UnsafeMutablePointer(mutating: value.baseAddress?.assumingMemoryBound(to: UInt8.self)),
                namelen: name.utf8CodeUnitCount, valuelen: value.count,
                flags: UInt8(truncatingIfNeeded: NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)))
    }

    private mutating func reserve(_ added: Int) {
        guard count + added > capacity else { return }
        let larger = UnsafeMutablePointer<nghttp2_nv>.allocate(capacity: (count + added) * 2)
        larger.update(from: fields, count: count)
        fields.deallocate()
        fields = larger
        capacity = (count + added) * 2
    }
}
