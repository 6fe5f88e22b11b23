package import PushModel

/// The rules that turn a line into a registration. They supply missing fields and reject invalid lines.
package struct RegistrationRules: Sendable {
    /// The output for lines that do not name one. The next three properties also supply missing fields.
    package var output = Job.defaultOutput
    package var app: String?
    package var environment: PushEnvironment?
    package var registeredAt: Timestamp?

    /// The default environment of each existing app.
    private let apps: [String: PushEnvironment]
    /// The address form of each existing output.
    private let recipients: [String: RecipientForm]
    /// The outputs without a sandbox. All their tokens and marks belong to the production environment.
    private let outputsOfOneWorld: Set<String>
    private let now: Timestamp

    package init(
        apps: [String: PushEnvironment], recipients: [String: RecipientForm], outputsOfOneWorld: Set<String> = [],
        now: Timestamp
    ) {
        self.apps = apps
        self.recipients = recipients
        self.outputsOfOneWorld = outputsOfOneWorld
        self.now = now
    }

    func registration(_ fields: RegistrationFields) throws(BadRegistration) -> TokenRegistration {
        guard let app = fields.app ?? app else { throw BadRegistration(description: "app: is missing") }
        guard let ownEnvironment = apps[app] else {
            throw BadRegistration(description: "app: \(app) is not registered: add it with 'martlet app set'")
        }
        let output = fields.output ?? output
        let environment = try environment(fields, of: output, app: ownEnvironment)
        guard let token = fields.token else { throw BadRegistration(description: "token: is missing") }
        let form = recipients[output] ?? .text
        let key = DeviceTokenKey(output: output, app: app, environment: environment, form: form, token: token)
        if let problem = form.problem(of: key.token) { throw BadRegistration(description: "token: \(problem)") }
        return TokenRegistration(key: key, registeredAt: try time(fields.registeredAt))
    }

    private func environment(
        _ fields: RegistrationFields, of output: String, app: PushEnvironment
    ) throws(BadRegistration) -> PushEnvironment {
        var named = environment
        if let name = fields.environment {
            named = PushEnvironment(rawValue: name)
            if named == nil { throw BadRegistration(description: "environment: must be production or sandbox") }
        }
        guard outputsOfOneWorld.contains(output) else { return named ?? app }
        if named == .sandbox { throw BadRegistration(description: "environment: \(output) has no sandbox") }
        return .production
    }

    private func time(_ text: String?) throws(BadRegistration) -> Timestamp {
        guard let text else { return registeredAt ?? now }
        let time: Timestamp
        do { time = try Self.time(text) } catch {
            throw BadRegistration(description: "registered_at: \(error)")
        }
        // A registration time in the future would prevent any mark of the token until that time.
        guard time.seconds <= now.seconds + JobLimits.clockTolerance else {
            throw BadRegistration(description: "registered_at: \(text) is in the future")
        }
        return time
    }

    /// Parses seconds since 1970 or an RFC 3339 time.
    package static func time(_ text: String) throws(BadRegistration) -> Timestamp {
        if let seconds = Int64(text) {
            guard (0...Timestamp.representable.upperBound.seconds).contains(seconds) else {
                throw BadRegistration(description: "\(text) is out of range (is it in milliseconds?)")
            }
            return Timestamp(seconds: seconds)
        }
        guard let time = Timestamp(rfc3339: text) else {
            throw BadRegistration(description: "must be unix seconds or an RFC 3339 date-time")
        }
        return time
    }
}
