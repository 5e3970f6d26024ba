// SPDX-License-Identifier: Apache-2.0
import Publishing

/// A view model as programs for Combine write it.
final class Model: ObservableObject {
  @Published var input = 0
  @Published var output = 0
  var plain = 0
}

/// Discards printed text.
struct Silence: TextOutputStream {
  mutating func write(_ string: String) {}
}

private typealias Numbers = PassthroughSubject<Int, Never>

/// The chain of the other benchmarks, with the publishers and subscribers that view models use.
private func chain(_ numbers: some Publisher<Int, Never>) -> some Publisher<Int, Never> {
  let (transform, isIncluded, isEqual) = parts()
  return numbers.map(transform).filter(isIncluded).removeDuplicates(by: isEqual)
}

/// Sends numbers through a chain.
private func send(_ name: String, values: Int, _ attach: (Numbers, Model, Total) -> AnyCancellable?) -> Measurement {
  let (numbers, model) = (Numbers(), Model())
  let subscription = attach(numbers, model, Total())
  defer { withExtendedLifetime((subscription, model)) {} }
  return measure(name, values: values) { values in
    for value in 0..<values { numbers.send(value) }
  }
}

/// Assigns numbers to a published property with a chain behind it.
private func assign(_ name: String, values: Int, _ attach: (Model, Total) -> AnyCancellable?) -> Measurement {
  let model = Model()
  let subscription = attach(model, Total())
  defer { withExtendedLifetime(subscription) {} }
  return measure(name, values: values) { values in
    for value in 0..<values { model.input = value }
  }
}

/// Chains of the shapes that view models have. Each is compared with a chain of the same operators that ends in `sink`.
func viewModels(values: Int) -> [Measurement] {
  let sink = send("chain → sink", values: values) { numbers, _, total in
    let (transform, isIncluded, isEqual) = parts()
    return numbers.map(transform).filter(isIncluded).removeDuplicates(by: isEqual).sink { total.sum &+= $0 }
  }
  let scanned = send("compactMap → scan → dropFirst → map → sink", values: values) { numbers, _, total in
    numbers.compactMap { $0 & 7 == 0 ? nil : $0 }.scan(0, &+).dropFirst().map { $0 }.sink { total.sum &+= $0 }
  }
  // Most of the cost of `print` is the text, which a program that prints in its sink builds as well.
  let printing = send("chain → sink that prints", values: values / 10) { numbers, _, total in
    var stream = Silence()
    return chain(numbers).sink { value in
      Swift.print("numbers: receive value: (\(value))", to: &stream)
      total.sum &+= value
    }
  }
  return [
    sink,
    send("chain → sink that sets a property", values: values) { numbers, model, _ in
      chain(numbers).sink { model.plain = $0 }
    },
    send("chain → assign(to: \\.plain, on: model)", values: values) { numbers, model, _ in
      chain(numbers).assign(to: \.plain, on: model)
    },
    send("chain → sink that sets a published property", values: values) { numbers, model, _ in
      chain(numbers).sink { model.output = $0 }
    },
    send("chain → assign(to: &model.$output)", values: values) { numbers, model, _ in
      chain(numbers).assign(to: &model.$output)
      return nil
    },
    assign("@Published → chain → sink", values: values) { model, total in
      chain(model.$input).sink { total.sum &+= $0 }
    },
    assign("@Published → chain → assign(to: &$output)", values: values) { model, _ in
      chain(model.$input).assign(to: &model.$output)
      return nil
    },
    send("chain → handleEvents → sink", values: values) { numbers, _, total in
      chain(numbers).handleEvents(receiveOutput: { _ in }).sink { total.sum &+= $0 }
    },
    send("chain → breakpoint → sink", values: values) { numbers, _, total in
      chain(numbers).breakpoint(receiveOutput: { $0 < 0 }).sink { total.sum &+= $0 }
    },
  ].map { $0.name == sink.name ? $0 : $0.compared(to: sink) } + [
    printing,
    send("chain → print → sink", values: values / 10) { numbers, _, total in
      chain(numbers).print("numbers", to: Silence()).sink { total.sum &+= $0 }
    }.compared(to: printing),
    scanned,
    send("compactMap → scan → dropFirst → handleEvents → sink", values: values) { numbers, _, total in
      numbers.compactMap { $0 & 7 == 0 ? nil : $0 }.scan(0, &+).dropFirst().handleEvents(receiveOutput: { _ in })
        .sink { total.sum &+= $0 }
    }.compared(to: scanned),
    measure("[1...1000].publisher → map → sink", values: values) { values in
      let total = Total()
      for _ in 0..<values / 1000 {
        _ = Array(1...1000).publisher.map { $0 &+ 1 }.sink { total.sum &+= $0 }
      }
    },
    measure("Optional, Result, Record → sink: three subscriptions", values: values / 10) { values in
      let total = Total()
      for value in 0..<values {
        _ = Int?.some(value).publisher.sink { total.sum &+= $0 }
        _ = Result<Int, Never>.success(value).publisher.sink { total.sum &+= $0 }
        _ = Record<Int, Never>(output: [value], completion: .finished).sink { total.sum &+= $0 }
      }
    },
  ]
}
