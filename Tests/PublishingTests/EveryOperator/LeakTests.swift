// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// After completion, cancel, or release of the `AnyCancellable`, neither subscriber nor source is retained.
@Suite("every operator releases what it retains") struct LeakTests {
  final class Token {}

  /// The ways in which a subscription ends.
  enum Ending: CaseIterable, Sendable {
    case finish, failure, cancel
  }

  @Test(arguments: OperatorCase.all, Ending.allCases)
  func `an operator releases subscriber and source after a completion, a failure and a cancel`(
    operation: OperatorCase, ending: Ending
  ) {
    let scheduler = TestScheduler()
    weak var weakRecorder: Recorder<Int, TestError>?
    weak var weakSource: Probe<Int, TestError>?
    do {
      let source = Probe<Int, TestError>(isPolite: true)
      weakSource = source
      do {
        let recorder = operation.build(source, scheduler).record()
        weakRecorder = recorder
        scheduler.advance()
        source.send(1)
        scheduler.advance(by: 2)
        switch ending {
        case .finish: source.finish()
        case .failure:
          source.fail(.oops)
          scheduler.advance(by: 2)
          source.fail(.oops)
        case .cancel: recorder.cancel()
        }
        scheduler.advance(by: 200)
      }
      #expect(weakRecorder == nil, "the source, what is scheduled, or the kept subscription holds the subscriber")
    }
    #expect(weakSource == nil, "something holds the source")
    #expect(scheduler.pendingActions == 0)
  }

  @Test(arguments: OperatorCase.all)
  func `releasing the AnyCancellable of a sink releases its closures and the source`(operation: OperatorCase) {
    let scheduler = TestScheduler()
    weak var weakToken: Token?
    weak var weakSource: Probe<Int, TestError>?
    do {
      let source = Probe<Int, TestError>(isPolite: true)
      weakSource = source
      do {
        let token = Token()
        weakToken = token
        let cancellable = operation.build(source, scheduler)
          .sink(receiveCompletion: { _ in _ = token }, receiveValue: { _ in _ = token })
        scheduler.advance()
        source.send(1)
        scheduler.advance(by: 2)
        withExtendedLifetime(cancellable) {}
      }
      scheduler.advance(by: 200)
      #expect(weakToken == nil, "the source, or what is scheduled, holds the closures")
    }
    #expect(weakSource == nil, "something holds the source")
    #expect(scheduler.pendingActions == 0)
  }

  @Test(arguments: OperatorCase.all)
  func `an operator that is released without a subscription releases its source`(operation: OperatorCase) {
    let scheduler = TestScheduler()
    weak var weakSource: Probe<Int, TestError>?
    do {
      let source = Probe<Int, TestError>(isPolite: true)
      weakSource = source
      _ = operation.build(source, scheduler)
    }
    #expect(weakSource == nil)
  }
}
