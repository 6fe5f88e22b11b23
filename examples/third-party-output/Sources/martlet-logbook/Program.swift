import LogbookOutput
import MartletOutputs

/// Martlet, and the logbook.
@main
enum Program {
    static func main() { Martlet.main(adding: [LogbookPlugin()]) }
}
