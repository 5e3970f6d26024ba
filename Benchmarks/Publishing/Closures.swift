// SPDX-License-Identifier: Apache-2.0
/// map → filter → removeDuplicates → sink as closures that call each other: the least that such a chain can cost.
struct NestedClosures {
  let send: (Int) -> Void

  init(_ total: Total) {
    let (transform, isIncluded, isEqual) = parts()
    send = Self.map(transform, Self.filter(isIncluded, Self.removeDuplicates(isEqual) { total.sum &+= $0 }))
  }

  @inline(never)
  private static func map(_ transform: @escaping (Int) -> Int, _ next: @escaping (Int) -> Void) -> (Int) -> Void {
    { next(transform($0)) }
  }

  @inline(never)
  private static func filter(
    _ isIncluded: @escaping (Int) -> Bool, _ next: @escaping (Int) -> Void
  ) -> (Int) -> Void {
    { if isIncluded($0) { next($0) } }
  }

  @inline(never)
  private static func removeDuplicates(
    _ isEqual: @escaping (Int, Int) -> Bool, _ next: @escaping (Int) -> Void
  ) -> (Int) -> Void {
    var last: Int?
    return { value in
      let isRepeated = last.map { isEqual($0, value) } ?? false
      last = value
      if !isRepeated { next(value) }
    }
  }
}

func nestedClosures(_ count: Int, values: Int) -> Measurement {
  let total = Total()
  let chains = (0..<count).map { _ in NestedClosures(total) }
  return measure("nested closures × \(count)", values: values) { values in
    for value in 0..<values {
      for chain in chains { chain.send(value) }
    }
  }
}
