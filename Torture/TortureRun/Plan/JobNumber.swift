/// What a job's number says of it. Ordinary ones are counted from 0; the others have a place of their own, far beyond.
package enum JobNumber {
    private static let place = 1 << 20

    /// A job of thousands that is published to be split.
    package static func giant(_ index: Int) -> Int { place + index }
    package static func isGiant(_ number: Int) -> Bool { number / place == 1 }

    /// The index of one that workers die at while nothing else happens: as large as can be, without an id.
    package static func staged(_ index: Int) -> Int { place / 2 + index }
    package static func isStaged(_ number: Int) -> Bool { isGiant(number) && number % place >= place / 2 }

    /// Part of a flood.
    package static func flood(_ index: Int) -> Int { 2 * place + index }
    package static func isFlood(_ number: Int) -> Bool { number / place == 2 }

    /// Part of a campaign of a paced app.
    package static func campaign(_ campaign: Int, _ index: Int) -> Int { 4 * place + 1_024 * campaign + index }
    package static func isOfCampaign(_ number: Int) -> Bool { number / place == 4 }
    /// When nothing goes wrong any more, one for each paced app.
    package static func lastCampaign(_ index: Int) -> Int { 1_000 + index }
    /// Which one.
    static func campaign(of number: Int) -> Int { number % place / 1_024 }

    /// One that comes after another job and has its id.
    package static func follower(of number: Int) -> Int { 3 * place + number }
    package static func isFollower(_ number: Int) -> Bool { number / place == 3 }
    package static func followed(_ number: Int) -> Int { number - 3 * place }
}
