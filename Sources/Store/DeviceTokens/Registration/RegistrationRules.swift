package import PushModel

/// Says whose token it is and since when, and what can't be one.
package struct RegistrationRules: Sendable {
    /// What a line says nothing of.
    package var output = Job.defaultOutput
    package var app: String?
    package var environment: PushEnvironment?
    package var registeredAt: Timestamp?

    /// The apps that there are, with their own environment.
    private let apps: [String: PushEnvironment]
    /// Of the outputs that there are.
    private let recipients: [String: RecipientForm]
    /// Outputs whose tokens are all of production, as their marks are.
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
            throw BadRegistration(description: "app: \(app) is not registered, see 'martlet app set'")
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
        // A token registered in the future could not die until then.
        guard time.seconds <= now.seconds + JobLimits.clockTolerance else {
            throw BadRegistration(description: "registered_at: \(text) is in the future")
        }
        return time
    }

    /// Seconds since 1970, or RFC 3339.
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
