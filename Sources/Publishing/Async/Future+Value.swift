// SPDX-License-Identifier: Apache-2.0
extension Future where Failure == Never {
  /// Waits for the value. Cancelling the task does not end the wait.
  public nonisolated(nonsending) final var value: Output {
    get async {
      let result = await result()
      switch result {
      case .success(let value): return value
      }
    }
  }
}

extension Future {
  /// Waits for the value, or throws the error. Cancelling the task does not end the wait.
  public nonisolated(nonsending) final var value: Output {
    get async throws { try await result().get() }
  }

  private nonisolated(nonsending) func result() async -> Result<Output, Failure> {
    let waiter = Waiter<Result<Output, Failure>>()
    let subscription = sink(
      receiveCompletion: { completion in
        if case .failure(let error) = completion { waiter.value = .failure(error) }
        waiter.wake()
      },
      receiveValue: { waiter.value = .success($0) })
    while true {
      if let result = waiter.value { return result }
      await waiter.waitOut()
      withExtendedLifetime(subscription) {}
    }
  }
}
