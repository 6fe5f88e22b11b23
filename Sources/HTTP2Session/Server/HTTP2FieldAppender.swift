/// A helper that adds fields to one response, in addition to the fields that responses share.
public struct HTTP2FieldAppender {
    let core: SessionCore

    /// Appends a field.
    ///
    /// - Parameter value: The value. Its memory must stay valid until the response is submitted, which is after the
    ///   closure that receives this appender has returned.
    public func append(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
        core.scratch.append(name: name, copying: value)
    }
}
