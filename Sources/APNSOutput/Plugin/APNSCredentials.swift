import NIOPosix
package import PushModel

/// The credential rules of the APNs output. A credential is a key or a certificate of Apple. Its account is a team.
package struct APNSCredentials: OutputCredentials {
    package let accountName = "team"
    package let accountHelp = "Apple's ten-character team id"

    package init() {}

    package func problem(ofAccount id: String) -> String? { AppleID.isOne(id) ? nil : AppleID.problem }

    package func need(of job: Job) -> CredentialNeed {
        let type = job.pushType.flatMap(APNSPushType.init(rawValue:))
        return Self.need(of: job.app, topic: Self.topic(of: job, type), type)
    }

    /// Returns the topic of a job. If the job names no topic, the suffix follows from its push type. A push type that
    /// is inferred from the payload has no suffix. The topic of a broadcast is the app.
    private static func topic(of job: Job, _ type: APNSPushType?) -> String {
        if job.isBroadcast { return job.app }
        return job.topic ?? type?.topic(of: job.app) ?? job.app
    }

    /// Returns the requirement for a topic. A credential for an app is also assumed to cover the app's topics with a
    /// suffix (`.voip`, …).
    private static func need(of app: String, topic: String, _ type: APNSPushType?) -> CredentialNeed {
        CredentialNeed(
            topic: topic, widerTopic: topic != app && topic.hasPrefix(app + ".") ? app : nil,
            refusesCertificates: type?.needsProviderToken ?? false)
    }

    package func uses(of app: String) -> [CredentialUse] {
        PushEnvironment.allCases.flatMap { environment in
            APNSPushType.allCases.map { type in
                CredentialUse(
                    environment: environment, pushType: type.rawValue,
                    need: Self.need(of: app, topic: type.topic(of: app), type))
            }
        }
    }

    package func read(
        _ files: [CredentialFile], _ details: CredentialDetails, now: Timestamp
    ) throws(CredentialFault) -> NewCredential {
        try APNSCredentialReader(details: details).read(files, now: now)
    }

    package func endpoint(of environment: PushEnvironment, _ settings: OutputSettings) throws -> String {
        "\(try APNSConfiguration(settings).endpoint(for: environment))"
    }

    package func check(_ question: CredentialQuestion, _ context: OutputContext) async throws -> CredentialFinding {
        let check = APNSCredentialCheck(
            configuration: try APNSConfiguration(context.settings), tokens: context.tokens,
            eventLoop: MultiThreadedEventLoopGroup.singleton.next())
        return await check.run(
            question.credential, in: question.environment, device: question.recipient, topic: question.topic)
    }
}
