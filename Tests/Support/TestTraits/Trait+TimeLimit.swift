package import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a hang, and measures nothing: the time in which a test waits for its turn behind hundreds of others counts, too.
    package static var endsAHang: Self { .timeLimit(.minutes(20)) }
}
