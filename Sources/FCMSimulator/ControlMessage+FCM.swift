internal import PushSimulator

extension ControlMessage {
    /// The body of a request to register an account: a service account file, or only the fields that identify signer
    /// and project.
    struct Account: ControlBody {
        let account: SimulatedAccount

        enum CodingKeys: String, CodingKey, CaseIterable {
            case type, project = "project_id", projectNumber = "project_number", keyID = "private_key_id"
            case privateKey = "private_key", publicKey = "public_key", email = "client_email", clientID = "client_id"
            case authURI = "auth_uri", tokenURI = "token_uri", universe = "universe_domain"
            case providerURL = "auth_provider_x509_cert_url", clientURL = "client_x509_cert_url"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let key: CodingKeys = container.contains(.publicKey) ? .publicKey : .privateKey
            account = try SimulatedAccount(
                project: try container.decode(String.self, forKey: .project),
                projectNumber: try container.decodeIfPresent(String.self, forKey: .projectNumber),
                email: try container.decode(String.self, forKey: .email),
                keyID: try container.decode(String.self, forKey: .keyID),
                pem: try container.decode(String.self, forKey: key))
        }
    }

    /// The body of a request to refuse an account: `{"client_email": "…", "token_error": "invalid_grant", "send_fault":
    /// "PERMISSION_DENIED"}`. If both faults are missing, the account is accepted again.
    struct RefusedAccount: ControlBody {
        let email: String
        let refusal: AccountRefusal?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case email = "client_email", tokenError = "token_error", sendFault = "send_fault"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            email = try container.decode(String.self, forKey: .email)
            let refusal = AccountRefusal(
                tokenError: try container.decodeIfPresent(String.self, forKey: .tokenError),
                sendFault: try container.wordIfPresent(.sendFault, of: FCMReason.self))
            self.refusal = refusal == AccountRefusal() ? nil : refusal
        }
    }

    /// The body of a request that sets the token endpoint's answer: `{"answer": {"fault": "UNAVAILABLE"}}`. If the
    /// answer is missing, the endpoint works normally again.
    struct TokenFault: ControlBody {
        let answer: PlannedFCMAnswer?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case answer
        }

        init(from decoder: any Decoder) throws {
            answer = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(
                PlannedFCMAnswer.self, forKey: .answer)
        }
    }

    /// The body of a request that sets the quota: `{"messages": 600000, "period_ms": 60000, "retry_after": true}`.
    /// Missing fields have FCM's values.
    struct Quota: ControlBody {
        let limit: QuotaLimit

        enum CodingKeys: String, CodingKey, CaseIterable {
            case messages, period = "period_ms", retryAfter = "retry_after"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var limit = QuotaLimit()
            limit.messages = try container.numberIfPresent(.messages, in: numbers) ?? limit.messages
            limit.periodMilliseconds =
                try container.numberIfPresent(.period, in: 1...delays.upperBound).map(Int64.init)
                ?? limit.periodMilliseconds
            limit.sendsRetryAfter =
                try container.decodeIfPresent(Bool.self, forKey: .retryAfter) ?? limit.sendsRetryAfter
            self.limit = limit
        }
    }
}
