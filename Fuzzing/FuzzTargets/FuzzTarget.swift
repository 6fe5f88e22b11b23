/// What is fuzzed. Each target takes any bytes at all and says what was not as it must be; the fuzzer and the
/// test that replays the kept corpus both come in here.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// What a server sends to our client session.
    case http2Client = "http2-client"
    /// What a client sends to our server session.
    case http2Server = "http2-server"
    /// The body of APNs' refusals, and what becomes of them.
    case errorBody = "error-body"
    /// Bodies of messages from the broker.
    case job
    /// Properties and headers of messages from the broker, and what is made of them.
    case message
    /// Configuration files, environment variables and flags.
    case configuration
    /// JSON in general, beside Foundation's reading of it.
    case json
    /// Files that somebody imports as a credential.
    case credentialFile = "credential-file"
    /// Payloads that are too long.
    case trimmer
    /// What Firebase and its token endpoint answer.
    case fcmAnswer = "fcm-answer"
    /// Payloads of messages for Firebase.
    case fcmMessage = "fcm-message"
    /// Files of service accounts.
    case serviceAccount = "service-account"
    /// Browsers' subscriptions, and their endpoints.
    case subscription
    /// What push services answer.
    case webPushAnswer = "webpush-answer"
    /// What a receiver answers to a batch.
    case webhookAnswer = "webhook-answer"
    /// URLs and secrets of receivers.
    case webhookTarget = "webhook-target"
    /// Bodies of messages from the results exchange, for the ledger.
    case ledgerEvent = "ledger-event"

    /// - Returns: the rule that was broken, or nil.
    package func violation(in input: UnsafeRawBufferPointer) -> String? {
        switch self {
        case .http2Client: HTTP2ClientFuzz.violation(in: input)
        case .http2Server: HTTP2ServerFuzz.violation(in: input)
        case .errorBody: ErrorBodyFuzz.violation(in: Array(input))
        case .job: JobFuzz.violation(in: Array(input))
        case .message: MessageFuzz.violation(in: input)
        case .configuration: ConfigurationFuzz.violation(in: Array(input))
        case .json: JSONFuzz.violation(in: Array(input))
        case .credentialFile: CredentialFileFuzz.violation(in: Array(input))
        case .trimmer: TrimmerFuzz.violation(in: input)
        case .fcmAnswer: FCMFuzz.answerViolation(in: Array(input))
        case .fcmMessage: FCMFuzz.messageViolation(in: Array(input))
        case .serviceAccount: FCMFuzz.accountViolation(in: Array(input))
        case .subscription: WebPushFuzz.subscriptionViolation(in: Array(input))
        case .webPushAnswer: WebPushFuzz.answerViolation(in: Array(input))
        case .webhookAnswer: WebhookFuzz.answerViolation(in: Array(input))
        case .webhookTarget: WebhookFuzz.targetViolation(in: Array(input))
        case .ledgerEvent: LedgerFuzz.violation(in: Array(input))
        }
    }
}
