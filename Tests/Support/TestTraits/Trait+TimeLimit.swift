package import Testing

extension Trait where Self == TimeLimitTrait {
    /// A limit that only ends hanging tests. It includes the time during which a test waits behind hundreds of other
    /// tests.
    package static var endsAHang: Self { .timeLimit(.minutes(20)) }
}
