import Foundation
import TestSupport
import Testing

@Suite struct StandardDescriptorsTests {
    @Test func opensDevNullForClosedDescriptors() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-closed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let closing = #"exec "$@" 0<&- 1>&- 2>&-"#
        let simulator = try Subprocess(
            ["/bin/sh", "-c", closing, "sh", Project.simulator, "--port", "0", "--control-port", "0"],
            in: folder)
        defer { simulator.signal(SIGKILL) }
        let descriptors = URL(filePath: "/proc/\(simulator.pid)/fd")
        func targets() throws -> [String] {
            try (0...2).map {
                try FileManager.default.destinationOfSymbolicLink(atPath: descriptors.appending(path: "\($0)").path)
            }
        }
        // More than six descriptors are open once the simulator has opened its sockets.
        try await eventually("process \(simulator.pid) opens its sockets") {
            try FileManager.default.contentsOfDirectory(atPath: descriptors.path).count > 6
        }
        #expect(try targets() == ["/dev/null", "/dev/null", "/dev/null"])
    }
}
