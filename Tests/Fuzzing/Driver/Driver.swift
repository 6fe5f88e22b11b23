import FuzzTargets
import Glibc

// The entry point of libFuzzer. An environment variable selects the target, so that one program serves all targets.
private let target = getenv("MARTLET_FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else { fatalError("MARTLET_FUZZ_TARGET names no target") }
    if let rule = target.violation(in: UnsafeRawBufferPointer(start: bytes, count: count)) {
        fatalError(rule)
    }
    return 0
}
