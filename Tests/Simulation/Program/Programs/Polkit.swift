// SPDX-License-Identifier: Apache-2.0
import DBus

/// polkitd.
final class Polkit: SystemService {
  static let service = "org.freedesktop.PolicyKit1"
  private static let path = "/org/freedesktop/PolicyKit1/Authority"
  private static let authority = "org.freedesktop.PolicyKit1.Authority"
  /// A change of the rules that programs see only when polkitd returns.
  var change: (() -> Void)?
  /// The user about whose programs it does not answer.
  var ignored: UInt32? {
    didSet {
      for call in unanswered where ignored == nil {
        refuse(call, "org.freedesktop.PolicyKit1.Error.Cancelled", "The check was cancelled")
      }
      unanswered = []
    }
  }

  private var unanswered: [Parcel] = []
  /// The users who are denied everything by conditions that polkitd does not announce, and since when.
  var denied: [UInt32: Int64] = [:]
  /// The unique name of a program that such a condition denies everything.
  var deniedProgram: String?

  /// The last answers about a program. The service's question whether an agent is needed begins a round of questions.
  private struct Round {
    var answers: [String: Truth.Answer] = [:]
    /// The number of such questions without an answer.
    var open = 0
    /// When the round before it ended.
    var since = Int64.min / 2
    /// When the last answer was sent.
    var at = Int64.min / 2
    /// Whether something that may have changed the answers happened during the round before it, which may have been lost
    /// when polkitd restarted.
    var follows = false
  }

  /// By the unique name of the program.
  private var rounds: [String: Round] = [:]

  /// The last answer that was sent, if one about the program has just been sent. The service may use it even if the rules
  /// have changed since it was evaluated, unless this has not happened in the round before.
  func isPermitted(_ action: String, to name: String) -> Bool {
    guard let last = rounds[name], last.follows else { return false }
    return last.at > world.schedule.now - Entitlement.tolerance && last.answers[action] == .yes
  }

  /// When the last question about precise access, or access without an agent, of each program arrived.
  private(set) var questionedAt: [String: Int64] = [:]

  private func asked(about name: String) {
    var round = rounds[name] ?? Round()
    if round.open == 0 {
      round.follows =
        world.hasDoubt(round.since...round.at) || startedAt > max(round.at, world.schedule.now - 10_000_000)
      round.since = round.at
    }
    round.open += 1
    rounds[name] = round
  }

  private func answered(_ action: String, about name: String, _ answer: Truth.Answer) {
    world.tell("polkit answers \(answer) about \(action.split(separator: ".").last ?? "") of \(name)")
    if action == Truth.accessWithoutAgent { rounds[name]?.open -= 1 }
    rounds[name]?.answers[action] = answer
    rounds[name]?.at = world.schedule.now
  }

  init(_ world: World) { super.init(world, Self.service, user: 986) }

  /// Announces that rules may have changed.
  func announce() {
    guard isRunning else { return }
    world.doubted(for: 10_000)
    signal(Self.path, Self.authority, "Changed")
  }

  private func delayAnswers(_ latency: ClosedRange<Int64>, for time: Int64) {
    self.latency = latency
    world.schedule.after(time) { [self] in self.latency = 50...4_000 }
  }

  /// Announces that rules may have changed, and then takes some time for its answers.
  func raiseDoubt(latency: ClosedRange<Int64> = 100_000...150_000) {
    delayAnswers(latency, for: 1_500_000)
    announce()
  }

  /// A program that leaves when it is asked about.
  private var leaver: Client?

  /// Announces that rules may have changed. A program leaves before it has been looked up.
  func loseSubject(_ client: Client) {
    guard client.isConnected, client.isReading else { return }
    leaver = client
    announce()
    world.schedule.after(1_000_000) { [self] in leaver = nil }
  }

  /// Restarts before it has answered what is asked after an announced change.
  func restartWhileAsked() {
    guard answersSoon else { return }
    for user in world.users where permitsEverything(to: user) {
      world.checks.unshaken(user, "a short restart of polkit is not reported")
    }
    raiseDoubt()
    world.schedule.after(50_000) { [self] in exit() }
    world.schedule.after(300_000) { [self] in start() }
  }

  /// Changes and announces the rules about both levels of access.
  func set(_ answer: Truth.Answer?, for user: UInt32) {
    for action in [Truth.access, Truth.accessPrecise] { world.truth.set(answer, to: action, of: user) }
    announce()
  }

  private func permitsEverything(to user: UInt32) -> Bool {
    denied[user] == nil && [Truth.access, Truth.accessPrecise].allSatisfy { world.truth.policy(of: user, $0) == .yes }
  }

  /// The rules forbid a user everything, until that has been determined and before it is answered.
  func waver(about user: UInt32) {
    guard answersSoon, permitsEverything(to: user) else { return }
    waveredAt = world.schedule.now
    world.checks.unshaken(user, "an answer of polkit that a change has overtaken is not reported")
    delayAnswers(100_000...100_000, for: 1_200_000)
    set(.no, for: user)
    world.schedule.after(150_000) { [self] in set(nil, for: user) }
  }

  /// The rules forbid a user everything just after an answer has been determined, while locations arrive quickly. The
  /// answer permits deliveries only for a time that begins with its question.
  func forbidBeforeAnswer(_ user: UInt32) {
    guard answersSoon, permitsEverything(to: user), world.geoclue.interval == 1_000_000 else { return }
    waveredAt = world.schedule.now
    raiseDoubt(latency: 100_000...100_000)
    // The first answer that a change overtakes is not used at all.
    world.schedule.after(50_000) { [self] in announce() }
    world.schedule.after(303_000) { [self] in set(.no, for: user) }
    world.geoclue.measureOften(every: 5_000, 130, accuracy: 2)
    world.schedule.after(1_500_000) { [self] in set(nil, for: user) }
  }

  /// The same with a late answer. Programs that start after its question must wait for the next one, although the last
  /// location is older.
  func forbidBeforeStart(_ user: UInt32) {
    guard answersSoon, permitsEverything(to: user), world.geoclue.interval == 1_000_000 else { return }
    waveredAt = world.schedule.now
    raiseDoubt(latency: 100_000...100_000)
    world.schedule.after(50_000) { [self] in announce() }
    world.schedule.after(240_000) { [self] in
      latency = 260_000...260_000
      for client in world.clients where client.user == user && client.isReading { client.startAgain() }
    }
    world.schedule.after(303_000) { [self] in set(.no, for: user) }
    world.schedule.after(1_500_000) { [self] in set(nil, for: user) }
  }

  /// The users whose consent is temporary, and what is permitted for that reason now.
  var temporaryFor: Set<UInt32> = [] { didSet { temporary = [:] } }
  private var temporary: [UInt32: Set<String>] = [:]
  private static let noDetails = Value.dictionary(key: .string, value: .string, [])
  private static let details = Value.dictionary(
    key: .string, value: .string, [Value.Entry(.string("polkit.temporary_authorization_id"), .string("tmpauthz1"))])

  /// The users who refuse in each dialog, and when the programs, by their unique names, were last refused so.
  var refusing: Set<UInt32> = []
  private(set) var refusedAt: [String: Int64] = [:]
  /// The users for whom no program shows dialogs.
  var lacking: Set<UInt32> = []
  /// The users who answer no dialog.
  var unattended: Set<UInt32> = []
  /// The open dialogs that nobody answers, by their identifiers.
  private var dialogs: [String: (call: Parcel, shownAt: Int64)] = [:]

  /// Whether it takes seconds to close a dialog.
  var closesSlowly = false

  /// Checks that a dialog is open for a program's last interactive call, while the one before it is being closed.
  func checkDialog(of client: Client) {
    let isShown = dialogs.values.contains { call, shownAt in
      shownAt >= client.interactedAt && Self.subject(of: call) == client.name
    }
    guard !isShown, answersSoon, slowAt < world.schedule.now - 5_000_000 else { return }
    world.checks.broken("a call shows its dialog", "client \(client.number)")
  }

  /// The unique name of the program that a question is about.
  static func subject(of call: Parcel) -> String? {
    call.values.first?.structure?.last?.properties?["name"]?.string
  }

  /// When each program, by its unique name, last made a call that permits a dialog.
  var interactiveAt: [String: Int64] = [:]

  private func checkPermission(of name: String) {
    guard max(interactiveAt[name] ?? .min / 2, slowAt) < world.schedule.now - 125_000_000 else { return }
    world.checks.broken("a dialog is shown only if its call permits it", name)
  }

  /// Nobody answers. The dialog must be closed when its call ends.
  private func leaveOpen(_ call: Parcel) {
    guard let dialog = call.values.last?.string, !dialog.isEmpty else {
      return world.checks.broken("a dialog can be closed", call.story)
    }
    dialogs[dialog] = (call, world.schedule.now)
    let name = Self.subject(of: call)
    // A call waits for its turn if the user's programs have made many before.
    if let client = world.clients.first(where: { $0.name == name }), client.interactedAt < endedAt,
      (world.floodedAt[client.user] ?? .min) < client.interactedAt - 30_000_000
    {
      world.checks.broken("a call shows one dialog", "client \(client.number)")
    }
    let connections = connections
    world.schedule.after(121_000_000) { [weak self] in
      guard let self, isRunning, self.connections == connections, answersSoon, slowAt < world.schedule.now - 5_000_000,
        dialogs.removeValue(forKey: dialog) != nil, world.bus.peers[call.sender] != nil,
        world.stalled.upperBound < world.schedule.now - 2_000_000
      else { return }
      world.checks.broken("a dialog is closed when its call ends", dialog)
    }
  }

  /// The user agrees after some seconds, whatever the rules say then.
  private func showDialog(_ call: Parcel, _ action: String, of user: UInt32) {
    let agents = (world.agents + world.seconds).filter { $0.user == user && $0.isConnected && $0.isKnown }
    // A question may have waited for an answer.
    if action == Truth.accessPrecise, world.truth.policy(of: user, Truth.access) == .yes,
      agents.contains(where: { $0.assumed <= .city }), answersSoon,
      max(slowAt, world.truth.changedAt) < world.schedule.now - 5_000_000
    {
      world.checks.broken("a dialog is shown only if consent changes the access", call.story)
    }
    guard case .dictionary(_, _, let details) = call.values[2],
      details.contains(where: { $0.key.string == "program" && $0.value.string == "example" })
    else { return world.checks.broken("a dialog names the program", call.story) }
    let client = world.clients.first { $0.name == Self.subject(of: call) }
    if action == Truth.accessPrecise, world.truth.policy(of: user, Truth.access) == .challenge,
      client?.interactiveLevel.map({ $0 <= .city }) ?? false, answersSoon,
      max(slowAt, world.truth.changedAt) < world.schedule.now - 5_000_000
    {
      world.checks.broken("a dialog asks for no more than its call", call.story)
    }
    let connections = connections
    if lacking.contains(user) { return answer(call, [.structure([.boolean(false), .boolean(true), Self.noDetails])]) }
    if temporaryFor.contains(user) { return grantForAWhile(call, action, to: user) }
    if unattended.contains(user) { return leaveOpen(call) }
    let begin = world.schedule.now
    // Longer than another call takes at most.
    world.schedule.after(user.isMultiple(of: 2) ? 4_000_000 : 6_000_000) { [weak self] in
      guard let self, isRunning, self.connections == connections else { return }
      let name = Self.subject(of: call)
      if let client, client.isConnected, client.name == name, (world.servingSince ?? .max) < begin, !world.isBusFaulty,
        !world.checks.isAsking(for: client)
      {
        world.checks.broken("a call waits for the answer to its dialog", "client \(client.number)")
      }
      if refusing.contains(user) {
        if let name { refusedAt[name] = world.schedule.now }
        return answer(call, [.structure([.boolean(false), .boolean(false), Self.noDetails])])
      }
      let isAsked = world.truth.policy(of: user, action) == .challenge
      if isAsked, let program = world.programs.first(where: { $0.name == name && $0.isConnected }) {
        program.hasConsent = true
        world.truth.changed("\(program.name) has its user's consent")
      }
      answer(call, [.structure([.boolean(true), .boolean(false), Self.noDetails])])
    }
  }

  /// The user agrees, which counts for all programs for some time.
  private func grantForAWhile(_ call: Parcel, _ action: String, to user: UInt32) {
    let connections = connections
    world.schedule.after(4_000_000) { [weak self] in
      guard let self, isRunning, self.connections == connections else { return }
      guard world.truth.policy(of: user, action) != .no else {
        return refuse(call, "org.freedesktop.PolicyKit1.Error.Failed", "The rules have changed")
      }
      world.truth.set(.yes, to: action, of: user)
      temporary[user, default: []].insert(action)
      answer(call, [.structure([.boolean(true), .boolean(false), Self.details])])
      announce()
      world.schedule.after(15_000_000) { [world] in
        guard world.truth.policy(of: user, action) == .yes, world.isQuiet(at: world.schedule.now) else { return }
        world.truth.set(.challenge, to: action, of: user)
        world.polkit.temporary[user]?.remove(action)
        world.polkit.announce()
      }
    }
  }

  /// Announces changes, hundreds a second, for a second, so that each overtakes an answer.
  func flood(latency: ClosedRange<Int64> = 10_000...15_000, _ count: Int = 200) {
    if count == 200 {
      floodedAt = world.schedule.now
      delayAnswers(latency, for: 1_200_000)
      let begin = floodedAt
      if latency.upperBound < 20_000 {
        world.schedule.after(2_500_000) { [world] in world.checks.doubted(since: begin) }
      }
    }
    guard count > 0, isRunning else { return }
    announce()
    world.schedule.after(5_000) { [weak self] in self?.flood(latency: latency, count - 1) }
  }

  private var floodedAt: Int64 = .min / 2
  private var waveredAt: Int64 = .min / 2
  /// Whether doubts may have held locations for a moment.
  var isInDoubt: Bool { world.schedule.now - max(floodedAt, waveredAt) < 3_000_000 }
  /// How many questions about each program have arrived during the flood.
  private var questions: [String: Int] = [:]
  private static let mostQuestions = 40

  override func called(_ call: Parcel) {
    if call.member == "CheckAuthorization", let name = Self.subject(of: call) {
      if call.values.dropFirst().first?.string != Truth.access { questionedAt[name] = world.schedule.now }
      if world.schedule.now - floodedAt < 1_000_000 {
        questions[name, default: 0] += 1
        if questions[name, default: 0] > Self.mostQuestions {
          world.checks.broken(
            "polkit is asked rarely", "\(questions[name, default: 0]) times in a second about \(name)")
        }
      } else {
        questions = [:]
      }
    }
    super.called(call)
  }

  /// When it last exited.
  private var endedAt: Int64 = .min / 2

  /// When the bus last began to start it.
  var activatedAt: Int64 = .min / 2

  /// Checks that its answers no longer count soon after it has exited, unless the service has it started for a call.
  private func checkEndOfAnswers() {
    let (endedAt, service) = (endedAt, world.serviceName)
    world.schedule.after(3_000_000) { [weak self] in
      guard let self, endedAt == self.endedAt, !isRunning, activatedAt < endedAt, let service,
        service == world.serviceName, max(world.wokeAt, world.stalled.upperBound) < endedAt
      else { return }
      for client in world.clients where rounds[client.name] != nil && client.isReading {
        for subscription in client.subscriptions where subscription.isStarted && subscription.startedAt < endedAt {
          guard subscription.told?.status == "authorized-when-in-use" else { continue }
          world.checks.broken("polkit's answers do not outlive it", subscription.path)
        }
      }
    }
  }

  override func exited() {
    endedAt = world.schedule.now
    checkEndOfAnswers()
    dialogs = [:]
    world.doubted(for: 10_000)
    for name in rounds.keys { rounds[name]?.open = 0 }
  }

  /// The users whose sessions do not matter to the rules.
  var remote: Set<UInt32> = []

  private var startedAt = Int64.min / 2

  override func started() {
    startedAt = world.schedule.now
    world.doubted(for: 10_000)
    change?()
    change = nil
  }

  override func serve(_ call: Parcel) {
    if let leaver, Self.subject(of: call) == leaver.name {
      self.leaver = nil
      leaver.exit()
    }
    switch call.member {
    case "CheckAuthorization":
      guard call.values.count == 5, let subject = call.values[0].structure, subject.count == 2,
        subject[0].string == "system-bus-name", let name = subject[1].properties?["name"]?.string,
        let action = call.values[1].string, let user = world.bus.peers[name]?.user
      else { return refuse(call, "org.freedesktop.DBus.Error.NameHasNoOwner", "There is no such subject") }
      // Its other programs have been asked about before.
      if user == ignored, !world.clients.contains(where: { $0.name == name }) {
        unanswered.append(call)
        return
      }
      // By default, programs of a session that is not active may do nothing.
      let isAway = world.truth.session(of: user) != .active && !remote.contains(user)
      let isBarred =
        denied[user] != nil || name == deniedProgram || action != Truth.accessWithoutAgent && isAway
      let answer = isBarred ? .no : world.truth.policy(of: user, action)
      if action == Truth.accessWithoutAgent { asked(about: name) }
      if call.values[3].uint32 == 1 { checkPermission(of: name) }
      if call.values[3].uint32 == 1, answer == .challenge { return showDialog(call, action, of: user) }
      let isTemporary = answer == .yes && temporary[user]?.contains(action) == true
      let details = isTemporary ? Self.details : Self.noDetails
      answerLater(
        call, [.structure([.boolean(answer == .yes), .boolean(answer == .challenge), details])], about: user
      ) { [weak self] in self?.answered(action, about: name, answer) }
    case "CancelCheckAuthorization":
      answer(call, [])
      guard let dialog = dialogs.removeValue(forKey: call.values.first?.string ?? "")?.call else { return }
      world.schedule.after(closesSlowly ? 4_000_000 : 0) { [weak self, connections] in
        guard let self, isRunning, self.connections == connections else { return }
        refuse(dialog, "org.freedesktop.PolicyKit1.Error.Cancelled", "The dialog was closed")
      }
    default: super.serve(call)
    }
  }
}
