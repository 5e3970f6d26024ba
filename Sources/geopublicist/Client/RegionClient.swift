// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import MainLoop

/// A region at the service that outlives the service: after a restart it is created again, with what is known of it.
final class RegionClient {
  enum Event {
    case changed(RegionReading)
    case authorization(status: String, reason: String)
    /// The service has gone; the region is created again when it is back.
    case interrupted
    case resumed
    /// It could not be created or started.
    case failed(DBusError)
  }

  private let service: ServiceConnection
  private let onEvent: (Event) -> Void
  private var options: ClientOptions
  private var memory: RegionMemory
  private var watch: NameWatch?
  private var signals: SignalMatch?
  private var retry: LoopSource?
  private var state = State.creating
  /// Counts the attempts, so that a late answer to an earlier one is not taken for that to the last.
  private var attempt = 0
  private var wasInterrupted = false

  private enum State {
    case creating
    case running
    case waiting
    case over
  }

  /// Milliseconds until the service is called again after it has gone: it may be in the middle of an upgrade.
  private static let pause: Int64 = 3_000

  init(on service: ServiceConnection, _ options: ClientOptions, _ onEvent: @escaping (Event) -> Void) {
    self.service = service
    self.options = options
    self.onEvent = onEvent
    memory = RegionMemory(assumed: options.region.assumed)
    watch = NameWatch(Contract.service, on: service.connection) { [weak self] owner in
      if owner == nil { self?.lost() } else { self?.found() }
    }
    create()
  }

  private func create() {
    retry = nil
    state = .creating
    attempt += 1
    options.region.assumed = memory.known
    let attempt = attempt
    service.manager.call("CreateRegion", options.value(ClientOption.ofRegion), expecting: "o") { [weak self] result in
      guard let self, attempt == self.attempt else { return }
      switch result {
      case .success(let values): if let path = values.first?.objectPath { start(path) }
      case .failure(let error): failed(error)
      }
    }
  }

  private func start(_ path: ObjectPath) {
    let region = Proxy(on: service.connection, destination: Contract.service, path: path, interface: Contract.region)
    // The service sends to this connection alone, so that no signal is lost before the match is in place.
    signals = region.onSignal { [weak self] signal in self?.received(signal) }
    let attempt = attempt
    region.call("Start", expecting: "") { [weak self] result in
      guard let self, attempt == self.attempt else { return }
      if case .failure(let error) = result { return failed(error) }
      state = .running
      if wasInterrupted { onEvent(.resumed) }
      wasInterrupted = false
    }
  }

  private func failed(_ error: DBusError) {
    guard wasInterrupted else {
      state = .over
      return onEvent(.failed(error))
    }
    wait()
  }

  private func received(_ signal: Signal) {
    switch signal.member {
    case "StateChanged":
      guard let event = signal.arguments.first.flatMap(RegionReading.init), memory.isNew(event) else { return }
      onEvent(.changed(event))
    case "AuthorizationChanged":
      let texts = signal.arguments.compactMap(\.string)
      if texts.count == 2 { onEvent(.authorization(status: texts[0], reason: texts[1])) }
    case "Closed": lost()
    default: break
    }
  }

  private func lost() {
    guard state == .running else { return }
    wasInterrupted = true
    memory.interrupted()
    onEvent(.interrupted)
    wait()
  }

  private func found() { if state == .waiting { create() } }

  private func wait() {
    state = .waiting
    attempt += 1
    signals = nil
    retry = MainLoop.main.after(milliseconds: Self.pause) { [weak self] in self?.create() }
  }
}
