/// A fast random number generator for identifiers that must be distinct but may be predictable.
package struct SplitMixGenerator: RandomNumberGenerator {
    package var state: UInt64

    /// Seeds the generator from the system's random number generator.
    package init() {
        var seed = SystemRandomNumberGenerator()
        state = seed.next()
    }

    // Inlinable, because the simulators generate an identifier for most answers.
    @inlinable package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
