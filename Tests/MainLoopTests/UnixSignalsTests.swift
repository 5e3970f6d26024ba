// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import Glibc
import MainLoop
import Testing

@Suite struct UnixSignalsTests {
  @Test func `a Unix signal is delivered in a later turn of the loop`() throws {
    var received: [Int32] = []
    let signals = UnixSignals([SIGUSR1, SIGUSR2]) { received.append($0) }
    raise(SIGUSR1)
    #expect(received.isEmpty, "not inside raise()")
    try turning("it arrives") { received == [SIGUSR1] }
    raise(SIGUSR2)
    try turning("so does another") { received == [SIGUSR1, SIGUSR2] }
    withExtendedLifetime(signals) {}
  }

  @Test func `only signals that are watched are blocked`() throws {
    func blocked() -> Set<Int32> {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      return Set((1...31).filter { sigismember(&mask, $0) == 1 })
    }
    let before = blocked()
    var signals: UnixSignals? = UnixSignals([SIGUSR1]) { _ in }
    #expect(blocked() == before.union([SIGUSR1]))
    withExtendedLifetime(signals) {}
    signals = nil
    #expect(blocked() == before.union([SIGUSR1]))
  }

  @Test func `each watch receives only its own signals`() throws {
    var received: [Int32] = []
    let other = UnixSignals([SIGUSR2]) { received.append($0) }
    let signals = UnixSignals([SIGUSR1]) { received.append($0) }
    raise(SIGUSR2)
    try turning("each watch receives only its signal") { received == [SIGUSR2] }
    withExtendedLifetime((signals, other)) {}
  }

  /// Regression: the loop continued to read the descriptor after the action had closed it.
  @Test func `the action of a signal watch may release the watch`() throws {
    var received: [Int32] = []
    var signals: UnixSignals?
    signals = UnixSignals([SIGUSR1, SIGUSR2]) { signal in
      received.append(signal)
      signals = nil
    }
    raise(SIGUSR1)
    raise(SIGUSR2)
    try turning("the first arrives") { !received.isEmpty }
    #expect(signals == nil)
    try turning(for: .milliseconds(20), "the second is no longer delivered") { received.count == 1 }
    // Removes the remaining signal from the queue, for later tests.
    var rest = sigset_t()
    sigemptyset(&rest)
    sigaddset(&rest, SIGUSR2)
    sigaddset(&rest, SIGUSR1)
    var none = timespec()
    while sigtimedwait(&rest, nil, &none) > 0 {}
  }

  @Test func `a signal watch closes its descriptor when it is released`() throws {
    func descriptors() -> Int { (0..<256).count { fcntl($0, F_GETFD) >= 0 } }
    let before = descriptors()
    for _ in 0..<50 { _ = UnixSignals([SIGUSR1]) { _ in } }
    // Libraries may open another descriptor meanwhile.
    #expect(descriptors() < before + 25)
  }
}
