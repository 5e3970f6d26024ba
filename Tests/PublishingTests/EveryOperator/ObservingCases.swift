// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing

extension OperatorCase {
  static let observing: [OperatorCase] = [
    OperatorCase("print", [1, 2, 3]) { up, _ in up.print("", to: LineStream()) },
    OperatorCase("handleEvents", [1, 2, 3]) { up, _ in up.handleEvents(receiveOutput: { _ in }) },
    OperatorCase("breakpoint", [1, 2, 3], .passesThrough) { up, _ in
      up.breakpoint(
        receiveSubscription: { _ in false }, receiveOutput: { _ in false }, receiveCompletion: { _ in false }
      )
    },
  ]
}
