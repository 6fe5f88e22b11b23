import FuzzTargets
import Glibc

// libFuzzer's way in. Which target is run is said by the environment, so that one program serves all.
private let target = getenv("MARTLET_FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else { fatalError("MARTLET_FUZZ_TARGET names no target") }
    if let rule = target.violation(in: UnsafeRawBufferPointer(start: bytes, count: count)) {
        fatalError(rule)
    }
    return 0
}
