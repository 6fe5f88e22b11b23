import Foundations
import MartletConfiguration

/// A finding that needs attention but does not lead to exit code 1.
struct DoctorWarning: Error {
    let text: String
    let todo: String

    init(_ text: String, todo: String = "") {
        (self.text, self.todo) = (text, todo)
    }
}

/// A finding that leads to exit code 1.
struct DoctorFault: Error {
    let text: String
    let todo: String

    init(_ text: String, todo: String = "") {
        (self.text, self.todo) = (text, todo)
    }
}

/// A finding for information, mostly about a check that could not be made.
struct DoctorNote: Error {
    let text: String
    let todo: String

    init(_ text: String, todo: String = "") {
        (self.text, self.todo) = (text, todo)
    }
}

/// The finding of one check, in the format of docs/schema/doctor.schema.json.
struct DoctorFinding: Sendable, Hashable, Encodable {
    enum Level: String, Sendable, Hashable, Encodable {
        case ok, note, warning, error

        /// The level as text for operators.
        var word: String {
            switch self {
            case .ok: "ok"
            case .note: "note"
            case .warning: "WARN"
            case .error: "FAIL"
            }
        }
    }

    let level: Level
    /// The name of the check, which never changes between versions.
    let name: String
    let text: String
    /// The advice for the operator, or an empty string if there is nothing to do.
    let todo: String
}

/// A report that runs checks one after the other and collects their findings.
struct DoctorReport {
    private(set) var findings: [DoctorFinding] = []
    /// The callback that receives each finding as soon as it is added.
    private let report: (DoctorFinding) -> Void

    init(report: @escaping (DoctorFinding) -> Void) {
        self.report = report
    }

    var problems: Int { findings.count { $0.level == .error } }

    mutating func check(_ name: String, _ body: () async throws -> String) async {
        let _: Void? = await check(name) { ((), try await body()) }
    }

    mutating func check<Value>(_ name: String, _ body: () async throws -> (Value, String)) async -> Value? {
        do {
            let (value, text) = try await body()
            add(.ok, name, text)
            return value
        } catch let warning as DoctorWarning {
            add(.warning, name, warning.text, warning.todo)
        } catch let note as DoctorNote {
            add(.note, name, note.text, note.todo)
        } catch let fault as DoctorFault {
            add(.error, name, fault.text, fault.todo)
        } catch {
            add(.error, name, "\(error)")
        }
        return nil
    }

    mutating func add(_ level: DoctorFinding.Level, _ name: String, _ text: String, _ todo: String = "") {
        let finding = DoctorFinding(level: level, name: name, text: text, todo: todo)
        findings.append(finding)
        report(finding)
    }

    /// The complete report, for `--json`.
    var document: DoctorDocument {
        DoctorDocument(version: Build.version, ok: problems == 0, findings: findings)
    }
}

struct DoctorDocument: Encodable {
    /// The version of the program that made the report.
    let version: String
    /// Whether the findings contain no error.
    let ok: Bool
    let findings: [DoctorFinding]
}

extension DoctorFinding {
    /// The finding as one line for operators.
    var line: String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(1, width - text.count))
        }
        return padded(level.word, 6) + padded(name, 14) + (todo.isEmpty ? text : "\(text): \(todo)")
    }
}
