package import Testing

extension Trait where Self == TimeLimitTrait {
    /// A limit that ends hanging tests and measures nothing. The time in which a test waits for its turn behind
    /// hundreds of others counts, too.
    package static var endsAHang: Self { .timeLimit(.minutes(20)) }
}
