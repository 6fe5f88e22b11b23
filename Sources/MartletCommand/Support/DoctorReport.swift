/// Not good, and no reason to end with 1.
struct DoctorWarning: Error {
    let description: String
    init(_ description: String) { self.description = description }
}

struct DoctorFinding: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Prints a line for each check and counts the bad ones.
struct DoctorReport {
    private(set) var checks = 0
    private(set) var problems = 0

    mutating func check(_ name: String, _ body: () async throws -> String) async {
        let _: Void? = await check(name) { ((), try await body()) }
    }

    mutating func check<Value>(_ name: String, _ body: () async throws -> (Value, String)) async -> Value? {
        checks += 1
        do {
            let (value, finding) = try await body()
            say("ok", name, finding)
            return value
        } catch let warning as DoctorWarning {
            warn(name, warning.description)
        } catch {
            problems += 1
            say("FAIL", name, "\(error)")
        }
        return nil
    }

    func warn(_ name: String, _ finding: String) { say("WARN", name, finding) }

    func note(_ name: String, _ finding: String) { say("note", name, finding) }

    private func say(_ verdict: String, _ name: String, _ finding: String) {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        print(padded(verdict, 6) + padded(name, 14) + finding)
    }
}
