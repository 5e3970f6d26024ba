import DBus

/// The dossiers of all consumers, each as long as its consumer is on the bus.
final class Dossiers {
  private var dossiers: [BusName: Dossier] = [:]

  subscript(consumer: Consumer) -> Dossier? { dossiers[consumer.name] }

  /// The dossier of a consumer, a new one if there is none; then `close` is called when the consumer has gone.
  func open(for consumer: Consumer, _ close: @escaping () -> Void = {}) -> Dossier {
    if let dossier = dossiers[consumer.name] { return dossier }
    let dossier = Dossier()
    dossiers[consumer.name] = dossier
    consumer.onEnd = { [weak self, name = consumer.name] in
      self?.dossiers.removeValueAndRoom(forKey: name)
      close()
    }
    return dossier
  }
}
