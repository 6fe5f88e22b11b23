/// A helper that adds the fields of one response to those that all responses share.
public struct HTTP2FieldAppender {
    let core: SessionCore

    /// Appends a field.
    ///
    /// - Parameter value: The value, which is read when the response is submitted. It must outlive the closure that
    ///   receives this appender.
    public func append(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
        core.scratch.append(name: name, copying: value)
    }
}
