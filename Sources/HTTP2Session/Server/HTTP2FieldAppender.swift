/// Adds fields that differ from response to response to those that don't.
public struct HTTP2FieldAppender {
    let core: SessionCore

    /// - Parameter value: read when the response is submitted, so it must outlive the call this is lent to.
    public func append(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
        core.scratch.append(name: name, copying: value)
    }
}
