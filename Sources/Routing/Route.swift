package import PushModel

/// The app, environment and credential with which a job is sent. One route serves all recipients of the job.
package struct Route: Sendable, Hashable {
    package let app: App
    package let environment: PushEnvironment
    package let credential: Credential
}
