/// What a server answered.
package struct PoolAnswer {
    package let status: Int
    /// Empty when it was longer than the configuration allows.
    package let body: [UInt8]
    package let isTooLong: Bool
    /// Since the request was put on the wire.
    package let milliseconds: Int64
}
