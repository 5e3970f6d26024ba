/// A call that waits for something to happen.
protocol PendingRequest: AnyObject {
  /// Who waits has gone; ends without an answer.
  func abandon()
  /// What the gatekeeper or the upstream says may have changed.
  func refresh()
  /// The service ends; answers with what there is to say.
  func shutDown()
}
