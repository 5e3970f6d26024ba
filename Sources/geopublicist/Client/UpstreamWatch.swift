// SPDX-License-Identifier: Apache-2.0
import DBus

/// Follows what GeoClue does, as the bridge tells it: the bridge's properties, all at first and then those that change.
final class UpstreamWatch {
  private let changes: SignalMatch

  init(on bridge: Bridge, _ handler: @escaping ([String: Value]) -> Void) {
    changes = bridge.onSignal(of: .properties, at: Contract.path) { signal in
      if signal.arguments.count > 1, let properties = signal.arguments[1].properties { handler(properties) }
    }
    bridge.readProperties { result in
      if case .success(let value) = result, let properties = value.properties { handler(properties) }
    }
  }
}
