import DBus
import LocationModel

/// Decides what each consumer may have, now.
protocol Gatekeeper: AnyObject {
  /// What is decided at this moment; asks nobody.
  func authorization(for consumer: Consumer, asking level: AccuracyLevel, as desktopID: String) -> Authorization

  /// Whether GeoClue itself judges the consumers: then it has to run for a decision to come.
  var decidesByListening: Bool { get }

  /// Called when any decision may have become another.
  var onChange: (() -> Void)? { get set }
}

/// The system deployment without polkit: root and the daemon's own user, nobody else.
final class OwnUserGatekeeper: Gatekeeper {
  var onChange: (() -> Void)?
  let decidesByListening = false
  private let ownUserID: UInt32

  init(ownUserID: UInt32) { self.ownUserID = ownUserID }

  func authorization(for consumer: Consumer, asking level: AccuracyLevel, as desktopID: String) -> Authorization {
    guard let user = consumer.credentials?.userID, user == 0 || user == ownUserID else {
      return .restricted(.policyUnavailable)
    }
    return .authorized(.always, level: .exact, asked: level)
  }
}

/// The session deployment: the daemon runs as the person, and GeoClue itself judges that person.
final class SessionGatekeeper: Gatekeeper {
  var onChange: (() -> Void)?
  let decidesByListening = true
  /// What GeoClue says of us.
  var upstream = Authorization.undecided() {
    didSet { if upstream != oldValue { onChange?() } }
  }

  func authorization(for consumer: Consumer, asking level: AccuracyLevel, as desktopID: String) -> Authorization {
    upstream.asking(level)
  }
}
