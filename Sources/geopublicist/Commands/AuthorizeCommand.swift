import DBus
import LocationModel
import Program

/// `geopublicist authorize`: decides whether this user may have the location, asking if that is allowed.
final class AuthorizeCommand: Command {
  static let name = "authorize"
  static let summary = "Decide whether this user may have the location"

  static func declareOptions(_ parser: OptionParser) {
    parser.addSwitch("interactive", "i", "A dialog may be shown")
    parser.addText("accuracy", "a", "country, city, neighborhood, street or exact (default)", value: "LEVEL")
    parser.addText("desktop-id", nil, "The desktop file's name of the program that asks", value: "ID")
  }

  private let invocation: Invocation
  private let options: [(String, Value)]
  private var bridge: Bridge?

  init(_ invocation: Invocation) throws(OptionParser.UsageError) {
    self.invocation = invocation
    var options: [(String, Value)] = []
    if let level = try invocation.parser.level("accuracy") { options.append(("accuracy", .string(level))) }
    if let id = invocation.parser.text("desktop-id") { options.append(("desktop-id", .string(id))) }
    self.options = options
  }

  func begin() {
    let isInteractive = invocation.parser.isSet("interactive")
    do throws(DBusError) {
      let bridge = try Bridge(on: invocation.bus)
      self.bridge = bridge
      if isInteractive { invocation.output.showProgress("Waiting for an answer (Ctrl-C ends it)") }
      bridge.call(
        "RequestAuthorization", [.options(options)], timeout: .milliseconds(130_000), interactive: isInteractive,
        expecting: "ss"
      ) { [invocation] result in
        switch result {
        case .success(let values): Self.show(values.compactMap(\.string), on: invocation)
        case .failure(let error): invocation.fail(error)
        }
      }
    } catch {
      invocation.fail(error)
    }
  }

  func interrupted() { invocation.finish(ExitStatus.interrupted) }

  private static func show(_ answer: [String], on invocation: Invocation) {
    let (status, reason) = (answer[0], answer[1])
    let output = invocation.output
    output.clearProgress()
    if invocation.isJSON {
      output.line(
        JSONText.object([("AuthorizationStatus", .string(status)), ("AuthorizationReason", .string(reason))]))
    } else {
      output.line(Sentences.emphasis(status: status).around(status, output.hasColors))
      output.line(Sentences.authorization(reason: reason))
    }
    let isAuthorized = AuthorizationStatus(rawValue: status)?.isAuthorized ?? false
    invocation.finish(isAuthorized ? ExitStatus.success : ExitStatus.notAuthorized)
  }
}
