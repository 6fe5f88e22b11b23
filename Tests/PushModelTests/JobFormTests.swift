import PushModel
import PushTestSupport
import Testing

/// The check that an output understands everything in a job.
@Suite struct JobFormTests {
    private static let forms = [
        JobForm(), JobForm(addresses: [.token, .installation, .topic], validatesOnly: true),
        JobForm(addresses: [.subscription], takesText: true), JobForm.any,
    ]

    private func problem(of job: Job, for form: JobForm) -> String? {
        do throws(JobRejection) {
            try form.check(job)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        (#"["aa"]"#, "{}", "", [true, true, false, true], "recipients: apns accepts subscription, not token"),
        (#"["aa",{"fid":"bb"}]"#, "{}", "", [false, true, false, true], "recipients: apns accepts token, not fid"),
        (
            #"[{"condition":"a"}]"#, "{}", "", [false, false, false, true],
            "recipients: apns accepts token, not condition"
        ),
        (
            #"[{"subscription":{"endpoint":"a"}}]"#, #""x""#, "", [false, false, true, true],
            "recipients: apns accepts token, not subscription"
        ),
        (#"["aa"]"#, #""text""#, "", [false, false, false, true], "payload: must be an object for apns"),
        (
            #"[{"token":"aa","payload":"t"}]"#, "{}", "", [false, false, false, true],
            "payload: must be an object for apns"
        ),
        (
            #"["aa"]"#, "{}", #""validate_only":true"#, [false, true, false, true],
            "validate_only: apns cannot validate a push without delivering it"
        ),
        (
            #"["aa"]"#, "{}", #""validate_only":false"#, [true, true, false, true],
            "recipients: apns accepts subscription, not token"
        ),
    ])
    func checksFormOfJob(recipients: String, payload: String, more: String, isTaken: [Bool], problem: String) throws {
        let members =
            [#""recipients":\#(recipients)"#, #""payload":\#(payload)"#, #""app":"a""#] + (more.isEmpty ? [] : [more])
        let job = try Job.read("{\(members.joined(separator: ","))}")
        let problems = Self.forms.map { self.problem(of: job, for: $0) }
        #expect(problems.map { $0 == nil } == isTaken)
        #expect(problems.lazy.compactMap { $0 }.first == problem)
    }

    @Test func reportsChannelByField() throws {
        let job = try Job.read(#"{"app":"a","channel":"c","payload":{}}"#)
        #expect(problem(of: job, for: JobForm()) == "channel: apns accepts token, not channel")
        #expect(problem(of: job, for: JobForm(addresses: [.channel])) == nil)
    }
}
