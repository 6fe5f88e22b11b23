import ConfigurationTestSupport
import Foundations
import MartletConfiguration
import Observability
import TestSupport
import Testing
import Traces

@Suite struct TracingConfigurationTests {
    private func tracing(
        _ settings: [String] = [], _ variables: [String: String] = [:]
    ) async throws -> TracingConfiguration? {
        try TracingConfiguration(
            try await ConfigurationSource(
                file: nil, settings: settings + ["worker.name=push-7"], environment: variables))
    }

    @Test func disablesTracingByDefault() async throws {
        #expect(try await tracing() == nil)
        #expect(try await tracing([], ["OTEL_TRACES_SAMPLER": "always_on"]) == nil)
        #expect(try await tracing([], ["OTEL_EXPORTER_OTLP_ENDPOINT": ""]) == nil)
        #expect(try await tracing(["tracing.endpoint="], ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:1"]) == nil)
    }

    @Test(arguments: [
        ("http://collector:4318", "http collector:4318 /v1/traces"),
        ("http://collector:4318/", "http collector:4318 /v1/traces"),
        ("http://collector:4318/v1/traces", "http collector:4318 /v1/traces"),
        ("https://otlp.example.com/otlp/", "https otlp.example.com:443 /otlp/v1/traces"),
        ("HTTP://collector", "http collector:80 /v1/traces"),
        ("https://[::1]:4318/x/v1/traces/", "https [::1]:4318 /x/v1/traces"),
    ])
    func readsEndpointWithDefaults(text: String, target: String) async throws {
        let own = try #require(try await tracing(["tracing.endpoint=\(text)"]))
        let standard = try #require(try await tracing([], ["OTEL_EXPORTER_OTLP_ENDPOINT": text]))
        for configuration in [own, standard] {
            let scheme = configuration.isTLS ? "https" : "http"
            #expect("\(scheme) \(configuration.endpoint) \(configuration.path)" == target)
        }
    }

    /// As in the OpenTelemetry specification, the URL for traces is used unchanged and takes precedence over the
    /// general one.
    @Test(arguments: [("http://a:1/own", "/own"), ("http://a:1", "/"), ("http://a:1/v1/traces", "/v1/traces")])
    func prefersEndpointForTraces(text: String, path: String) async throws {
        let variables = [
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": text, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://other:2",
        ]
        let configuration = try #require(try await tracing([], variables))
        #expect(configuration.endpoint.description == "a:1" && configuration.path == path)
        let own = try #require(try await tracing(["tracing.endpoint=http://mine:3"], variables))
        #expect(own.endpoint.description == "mine:3" && own.path == "/v1/traces")
    }

    @Test(arguments: [
        "collector:4318", "ftp://collector", "http://", "http://:4318", "http://user:s3cret@collector", "http://a b",
        "http://collector:0", "http://collector:99999", "http://collector/?token=s3cret", "http://collector/#x",
        "https//collector", "http://[::1", "http://coll\u{E9}ctor", "http://a\r\nx: y",
    ])
    func rejectsInvalidEndpoint(text: String) async throws {
        let failure = await failure { try await tracing([], ["MARTLET_TRACING_ENDPOINT": text]) }
        #expect(
            failure
                == "configuration key tracing.endpoint (MARTLET_TRACING_ENDPOINT): must be http://host[:port] or https://host[:port], optionally with a path"
        )
    }

    @Test(arguments: [
        ("OTEL_TRACES_SAMPLER", "jaeger_remote", "must be one of: "),
        ("OTEL_TRACES_SAMPLER_ARG", "1.5", "must be a number from 0 to 1"),
        ("OTEL_TRACES_SAMPLER_ARG", "nan", "must be a number from 0 to 1"),
        ("OTEL_RESOURCE_ATTRIBUTES", "alone", "must be name=value pairs separated by commas"),
        ("OTEL_RESOURCE_ATTRIBUTES", "a=%zz", "must be name=value pairs separated by commas"),
        ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/nonexistent.pem", "no readable certificate in /nonexistent.pem"),
        ("OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "/nonexistent.pem", "no readable certificate in /nonexistent.pem"),
    ])
    func rejectsInvalidVariable(name: String, value: String, problem: String) async {
        let failure = await failure { try await tracing(["tracing.endpoint=http://a:1"], [name: value]) }
        #expect(failure?.hasPrefix("environment variable \(name): \(problem)") == true, "\(failure ?? "")")
    }

    @Test(arguments: ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"])
    func namesVariableOfInvalidEndpoint(name: String) async {
        let failure = await failure { try await tracing([], [name: "ftp://s3cret@collector"]) }
        #expect(failure?.hasPrefix("environment variable \(name): must be http://") == true, "\(failure ?? "")")
        #expect(failure?.contains("s3cret") == false)
    }

    @Test(arguments: [
        "s3cret", "a b=s3cret", "host=s3cret", "Content-Type=s3cret", ":path=/s3cret", "x=s3cret%0d%0ay:z",
        "x=%ffs3cret",
    ])
    func rejectsInvalidHeadersWithoutShowingValues(text: String) async {
        let name = "OTEL_EXPORTER_OTLP_HEADERS"
        let failure = await failure { try await tracing(["tracing.endpoint=http://a:1"], [name: text]) }
        #expect(failure?.hasPrefix("environment variable \(name): ") == true, "\(failure ?? "")")
        #expect(failure?.contains("s3cret") == false)
    }

    @Test func readsOpenTelemetryVariables() async throws {
        let variables = [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:1", "OTEL_TRACES_SAMPLER": "always_on",
            "OTEL_TRACES_SAMPLER_ARG": "0.25", "OTEL_SERVICE_NAME": "shop-push",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=prod,service.name=other,team=a%2Cb",
        ]
        let configuration = try #require(try await tracing([], variables))
        #expect(configuration.sampler == TraceSampler("always_on", share: 0.25))
        #expect(
            configuration.resource.map { "\($0.key)=\($0.value)" } == [
                "service.name=shop-push", "service.version=\(Build.version)", "service.instance.id=push-7",
                "deployment.environment.name=prod", "team=a,b",
            ])
        let bare = try #require(try await tracing(["tracing.endpoint=http://a:1"], ["OTEL_TRACES_SAMPLER": ""]))
        #expect(bare.sampler == TraceSampler("parentbased_traceidratio", share: 0.01))
        #expect(bare.resource.first?.value == "martlet")
        try await withFile("tracing:\n  endpoint: \"http://b:2\"\n") { path in
            let source = try await ConfigurationSource(file: path, settings: [], environment: variables)
            #expect(try TracingConfiguration(source)?.endpoint.description == "b:2")
        }
    }
}
