import PushModel

/// A formatter that writes dead tokens as lines of an export, in CSV or JSON.
package enum DeadTokenText {
    package static let csvHeader = "token,app,environment,output,registered_at,unregistered_at,marked_at,reason\n"

    package static func appendJSON(_ token: DeviceToken, to text: inout [UInt8]) {
        var writer = JSONObjectWriter(capacity: 320)
        writer.member("token", string: token.key.token)
        writer.member("app", string: token.key.app)
        writer.member("environment", string: token.key.environment.rawValue)
        writer.member("output", string: token.key.output)
        if let time = token.registeredAt { writer.member("registered_at", string: time.rfc3339) }
        if let time = token.unregisteredAt { writer.member("unregistered_at", string: time.rfc3339) }
        if let time = token.markedAt { writer.member("marked_at", string: time.rfc3339) }
        if let reason = token.reason { writer.member("reason", string: reason) }
        text += writer.finish()
        text.append(UInt8(ascii: "\n"))
    }

    package static func appendCSV(_ token: DeviceToken, to text: inout [UInt8]) {
        let cells = [
            token.key.token, token.key.app, token.key.environment.rawValue, token.key.output,
            token.registeredAt?.rfc3339 ?? "", token.unregisteredAt?.rfc3339 ?? "", token.markedAt?.rfc3339 ?? "",
            token.reason ?? "",
        ]
        for (place, cell) in cells.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            if cell.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) {
                text += "\"\(cell.replacing("\"", with: "\"\""))\"".utf8
            } else {
                text += cell.utf8
            }
        }
        text.append(UInt8(ascii: "\n"))
    }
}
