// SPDX-License-Identifier: Apache-2.0
/// Prints what one value costs on its way through the publishers, in nanoseconds.
@main
struct PublishingBenchmark {
  static func main() async {
    let many = 1_000_000
    let few = 20_000
    let closures = nestedClosures(1, values: many)
    let closures100 = nestedClosures(100, values: few)
    let one = chain(1, values: many).compared(to: closures)
    let stream = await asyncStream(values: 100_000)
    print([
      closures,
      one,
      erasedChain(values: many).compared(to: closures),
      longChain(values: many).compared(to: closures),
      closures100,
      chain(100, values: few).compared(to: closures100),
      passthrough(values: many),
      currentValue(values: many),
      merge(values: many),
      combineLatest(values: many),
      flatMap(values: many),
      share(values: many),
      throttle(values: many),
      stream,
      await asyncValues(values: 100_000).compared(to: stream),
    ])
    Swift.print()
    print(viewModels(values: many))
  }

  private static func print(_ rows: [Measurement]) {
    Swift.print("ns of processor time per value sent, median of \(rounds) rounds\n")
    let width = rows.map(\.name.count).max() ?? 0
    for row in rows {
      let ratio = row.ratio.map { "   \(decimal($0.times)) × \($0.against)" } ?? ""
      let number = decimal(row.nanoseconds)
      Swift.print(padded(row.name, width) + padded("", 10 - number.count) + number + ratio)
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// With one decimal place.
  private static func decimal(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
