// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

/// `geopublicist record`: a track in a file that is complete whenever the recording is interrupted.
final class RecordCommand: Command {
  static let name = "record"
  static let summary = "Record a track for maps programs; Ctrl-C ends it"
  static let operands: String? = "FILE"

  static func declareOptions(_ parser: OptionParser) {
    parser.addText("format", "f", "gpx, geojson or nmea; by the file's name unless given", value: "FORMAT")
    parser.addSwitch("force", nil, "Replace a file that exists")
    SubscriptionArguments.declare(parser)
    parser.addText("count", "n", "End after so many fixes", value: "NUMBER")
    parser.addText("duration", nil, "End after this time", value: "TIME")
  }

  private let invocation: Invocation
  private let path: String
  private let format: any TrackFormat
  private let options: [(String, Value)]
  private let count: UInt32?
  private let duration: UInt32?

  private var writer: TrackWriter?
  private var bridge: Bridge?
  private var subscription: SubscriptionClient?
  private var upstream: UpstreamWatch?
  private var timers: [LoopSource] = []
  private var retry: LoopSource?
  private var state = WatchState()
  private var metres = 0.0
  private var previous: Location?
  private var hasBegun = false

  init(_ invocation: Invocation) throws(OptionParser.UsageError) {
    let parser = invocation.parser
    guard invocation.operands.count == 1, let path = invocation.operands.first else {
      throw OptionParser.UsageError(message: "record takes one FILE")
    }
    let name = parser.text("format") ?? TrackFormats.name(forFile: path)
    guard let format = TrackFormats.format(name, startingAt: Moment.now) else {
      throw OptionParser.UsageError(
        message: "--format takes \(TrackFormats.names.joined(separator: ", ")), not '\(name)'")
    }
    self.invocation = invocation
    self.path = path
    self.format = format
    count = try parser.count("count")
    duration = try parser.duration("duration")
    // Both are counted here, since the recording goes on when the bridge has gone and come back.
    options = try SubscriptionArguments.options(parser).filter { !["max-updates", "duration"].contains($0.0) }
  }

  func begin() {
    do {
      let bridge = try Bridge(on: invocation.bus)
      self.bridge = bridge
      writer = try TrackWriter(path, format, replacing: invocation.parser.isSet("force"))
      bridge.onPresence = { [weak self] isThere in self?.presenceChanged(isThere) }
      subscribe()
      upstream = UpstreamWatch(on: bridge) { [weak self] properties in self?.state.upstreamChanged(properties) }
      showProgress()
      timers = [MainLoop.main.every(microseconds: 1_000_000) { [weak self] in self?.showProgress() }]
      if let duration {
        timers.append(MainLoop.main.after(milliseconds: Int64(duration)) { [weak self] in self?.end() })
      }
    } catch let failure as TrackWriter.Failure {
      fail(failure)
    } catch {
      invocation.fail(error as? DBusError ?? DBusError(.failed, "\(error)"))
    }
  }

  func interrupted() { end(ExitStatus.success) }

  private func subscribe() {
    guard let bridge else { return }
    subscription = SubscriptionClient(on: bridge, options) { [weak self] event in self?.handle(event) }
  }

  private func handle(_ event: SubscriptionClient.Event) {
    state.handle(event)
    switch event {
    case .location(let reading): record(reading.location)
    case .authorization(_, let reason):
      hasBegun = true
      guard !state.isAuthorized else { return }
      interrupt()
      if state.isRefused { invocation.complain(Sentences.authorization(reason: reason)) }
    case .error(_, let message): invocation.complain(message)
    case .closed: wait(for: "The bridge has ended; the recording goes on when it is back")
    case .failed(let error):
      // At the start it is an answer, later a bridge that is not back yet.
      guard hasBegun else {
        writer?.discard()
        return invocation.fail(error)
      }
      wait(for: Failure(error, on: invocation.busName).message)
    }
  }

  private func presenceChanged(_ isThere: Bool) {
    if isThere, retry != nil { return subscribeAgain() }
    if !isThere, hasBegun { wait(for: "The bridge has gone; the recording goes on when it is back") }
  }

  private func wait(for message: String) {
    guard bridge?.connection.isConnected == true else {
      invocation.complain("The message bus has gone")
      return end()
    }
    subscription = nil
    interrupt()
    invocation.complain(message)
    // Whoever calls it makes the bus start it; but one that fails at its start is not to be called without a pause.
    retry = MainLoop.main.after(milliseconds: 3_000) { [weak self] in self?.subscribeAgain() }
  }

  private func subscribeAgain() {
    retry = nil
    subscribe()
  }

  private func interrupt() {
    writer?.interrupt()
    previous = nil
  }

  private func record(_ location: Location) {
    do throws(TrackWriter.Failure) {
      try writer?.append(location)
    } catch {
      return fail(error)
    }
    metres += previous?.distance(to: location) ?? 0
    previous = location
    showProgress()
    if let count, state.count >= count { end() }
  }

  /// Ends in order; the status says whether there was anything to record unless another one is given.
  private func end(_ status: Int32? = nil) {
    do throws(TrackWriter.Failure) {
      try writer?.finish()
      writer = nil
    } catch {
      return fail(error)
    }
    let output = invocation.output
    if status == nil, let lack = state.lack { invocation.complain(lack) }
    if invocation.isJSON {
      output.line(
        JSONText.object([
          ("File", .string(path)), ("Fixes", .uint64(UInt64(state.count))), ("Metres", .double(metres.rounded())),
        ]))
    } else {
      output.clearProgress()
      output.line("\(path): \(summary)")
    }
    invocation.finish(status ?? state.exitStatus(closedFor: "completed"))
  }

  private func fail(_ failure: TrackWriter.Failure) {
    invocation.complain(failure.message)
    invocation.finish(ExitStatus.failure)
  }

  private var summary: String {
    let way = metres < 1_000 ? "\(Number.fixed(metres, 0)) m" : "\(Number.fixed(metres / 1_000, 2)) km"
    return "\(state.count) fix\(state.count == 1 ? "" : "es"), \(way)"
  }

  private func showProgress() {
    invocation.output.showProgress("Recording: \(summary) (Ctrl-C ends it)")
  }
}
