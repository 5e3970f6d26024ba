// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// Creates every type in `Publishers` with its initializer and reads its public properties, so that a missing one does
/// not compile.
@Suite("API: types of operators") struct PublisherTypesTests {
  typealias Source = PassthroughSubject<Int, TestError>
  let source = Source()

  @Test func `transforming operators have Combine's types`() throws {
    let map: Publishers.Map<Source, String> = Publishers.Map(upstream: source) { "\($0)" }
    #expect(map.upstream === source)
    #expect(map.transform(1) == "1")
    #expect(try Publishers.TryMap<Source, Int>(upstream: source) { $0 }.transform(1) == 1)
    let keyPath: Publishers.MapKeyPath<Source, String> = source.map(\.description)
    #expect(keyPath.upstream === source)
    #expect(keyPath.keyPath == \Int.description)
    let keyPaths: Publishers.MapKeyPath2<Source, Int, String> = source.map(\.magnitude.nonzeroBitCount, \.description)
    #expect(keyPaths.keyPath1 == \Int.description)
    let three: Publishers.MapKeyPath3<Source, String, String, String> =
      source.map(\.description, \.description, \.description)
    #expect(three.keyPath0 == three.keyPath2)
    #expect(Publishers.MapError<Source, TestError>(upstream: source) { $0 }.transform(.oops) == .oops)
    let failure: Publishers.SetFailureType<PassthroughSubject<Int, Never>, TestError> =
      PassthroughSubject<Int, Never>().setFailureType(to: TestError.self)
    _ = failure.upstream
    #expect(Publishers.CompactMap<Source, Int>(upstream: source) { $0 }.transform(1) == 1)
    #expect(try Publishers.TryCompactMap<Source, Int>(upstream: source) { $0 }.transform(1) == 1)
    let scan: Publishers.Scan<Source, Int> = Publishers.Scan(upstream: source, initialResult: 1, nextPartialResult: +)
    #expect(scan.initialResult == scan.nextPartialResult(1, 0))
    let tryScan: Publishers.TryScan<Source, Int> = Publishers.TryScan(
      upstream: source, initialResult: 1, nextPartialResult: { $0 + $1 })
    #expect(try tryScan.initialResult == tryScan.nextPartialResult(1, 0))
    let flat: Publishers.FlatMap<Source, Source> = Publishers.FlatMap(upstream: source, maxPublishers: .max(2)) {
      [source] _ in source
    }
    #expect(flat.maxPublishers == .max(2))
    #expect(flat.transform(1) === flat.upstream)
    let replaceNil: Publishers.Map<PassthroughSubject<Int?, Never>, Int> =
      PassthroughSubject<Int?, Never>().replaceNil(with: 1)
    #expect(replaceNil.transform(nil) == 1)
  }

  @Test func `filtering operators have Combine's types`() throws {
    #expect(Publishers.Filter<Source>(upstream: source) { $0 > 1 }.isIncluded(2))
    #expect(try Publishers.TryFilter<Source>(upstream: source) { $0 > 1 }.isIncluded(2))
    #expect(Publishers.RemoveDuplicates<Source>(upstream: source, predicate: ==).predicate(1, 1))
    #expect(try Publishers.TryRemoveDuplicates<Source>(upstream: source, predicate: ==).predicate(1, 1))
    #expect(Publishers.ReplaceEmpty<Source>(upstream: source, output: 1).output == 1)
    #expect(Publishers.ReplaceError<Source>(upstream: source, output: 1).output == 1)
    #expect(Publishers.IgnoreOutput<Source>(upstream: source).upstream === source)
    #expect(Publishers.Drop<Source>(upstream: source, count: 2).count == 2)
    #expect(Publishers.DropWhile<Source>(upstream: source) { $0 > 1 }.predicate(2))
    #expect(try Publishers.TryDropWhile<Source>(upstream: source) { $0 > 1 }.predicate(2))
    let until: Publishers.DropUntilOutput<Source, Source> = Publishers.DropUntilOutput(upstream: source, other: source)
    #expect(until.other === until.upstream)
    #expect(Publishers.PrefixWhile<Source>(upstream: source) { $0 > 1 }.predicate(2))
    #expect(try Publishers.TryPrefixWhile<Source>(upstream: source) { $0 > 1 }.predicate(2))
    let prefixUntil: Publishers.PrefixUntilOutput<Source, Source> = Publishers.PrefixUntilOutput(
      upstream: source, other: source)
    #expect(prefixUntil.other === prefixUntil.upstream)
    #expect(Publishers.Output<Source>(upstream: source, range: 1..<3).range == 1..<3)
    let count: Publishers.Output<Source> = source.prefix(2)
    #expect(count.range == 0..<2)
  }

  @Test func `operators with a single result have Combine's types`() throws {
    #expect(Publishers.AllSatisfy<Source>(upstream: source) { $0 > 1 }.predicate(2))
    #expect(try Publishers.TryAllSatisfy<Source>(upstream: source) { $0 > 1 }.predicate(2))
    #expect(Publishers.Contains<Source>(upstream: source, output: 1).output == 1)
    #expect(Publishers.ContainsWhere<Source>(upstream: source) { $0 > 1 }.predicate(2))
    #expect(try Publishers.TryContainsWhere<Source>(upstream: source) { $0 > 1 }.predicate(2))
    #expect(Publishers.Comparison<Source>(upstream: source, areInIncreasingOrder: <).areInIncreasingOrder(1, 2))
    #expect(try Publishers.TryComparison<Source>(upstream: source, areInIncreasingOrder: <).areInIncreasingOrder(1, 2))
    let count: Publishers.Count<Source> = Publishers.Count(upstream: source)
    let first: Publishers.First<Source> = Publishers.First(upstream: source)
    let last: Publishers.Last<Source> = Publishers.Last(upstream: source)
    #expect(count.upstream === first.upstream)
    #expect(first.upstream === last.upstream)
    #expect(Publishers.FirstWhere<Source>(upstream: source) { $0 > 1 }.predicate(2))
    #expect(try Publishers.TryFirstWhere<Source>(upstream: source) { $0 > 1 }.predicate(2))
    #expect(Publishers.LastWhere<Source>(upstream: source) { $0 > 1 }.predicate(2))
    #expect(try Publishers.TryLastWhere<Source>(upstream: source) { $0 > 1 }.predicate(2))
    let reduce: Publishers.Reduce<Source, Int> = Publishers.Reduce(upstream: source, initial: 1, nextPartialResult: +)
    #expect(reduce.initial == reduce.nextPartialResult(1, 0))
    let tryReduce: Publishers.TryReduce<Source, Int> = Publishers.TryReduce(
      upstream: source, initial: 1, nextPartialResult: { $0 + $1 })
    #expect(try tryReduce.initial == tryReduce.nextPartialResult(1, 0))
    let collect: Publishers.Collect<Source> = Publishers.Collect(upstream: source)
    let byCount: Publishers.CollectByCount<Source> = Publishers.CollectByCount(upstream: source, count: 2)
    #expect(collect.upstream === byCount.upstream)
    #expect(byCount.count == 2)
  }

  @Test func `operators that combine several publishers have Combine's types`() {
    let concatenate: Publishers.Concatenate<Source, Source> = Publishers.Concatenate(prefix: source, suffix: source)
    #expect(concatenate.prefix === concatenate.suffix)
    let merge: Publishers.Merge<Source, Source> = Publishers.Merge(source, source)
    #expect(merge.a === merge.b)
    let merge3: Publishers.Merge3<Source, Source, Source> = merge.merge(with: source)
    #expect(merge3.c === source)
    let merge8: Publishers.Merge8<Source, Source, Source, Source, Source, Source, Source, Source> =
      merge.merge(with: source, source, source, source, source, source)
    #expect(merge8.h === source)
    #expect(Publishers.MergeMany<Source>([source]).publishers.count == 1)
    let latest: Publishers.CombineLatest<Source, Source> = Publishers.CombineLatest(source, source)
    let latest3: Publishers.CombineLatest3<Source, Source, Source> = Publishers.CombineLatest3(source, source, source)
    let latest4: Publishers.CombineLatest4<Source, Source, Source, Source> = Publishers.CombineLatest4(
      source, source, source, source)
    #expect(latest.b === latest3.c)
    #expect(latest4.d === source)
    let zip: Publishers.Zip<Source, Source> = Publishers.Zip(source, source)
    let zip3: Publishers.Zip3<Source, Source, Source> = Publishers.Zip3(source, source, source)
    let zip4: Publishers.Zip4<Source, Source, Source, Source> = Publishers.Zip4(source, source, source, source)
    #expect(zip.a === zip3.b)
    #expect(zip4.d === source)
    let outer = PassthroughSubject<Source, TestError>()
    let latestOf: Publishers.SwitchToLatest<Source, PassthroughSubject<Source, TestError>> = Publishers.SwitchToLatest(
      upstream: outer)
    #expect(latestOf.upstream === outer)
  }

  @Test func `operators that handle failures have Combine's types`() throws {
    let catching: Publishers.Catch<Source, Source> = Publishers.Catch(upstream: source) { [source] _ in source }
    #expect(catching.handler(.oops) === catching.upstream)
    let tryCatching: Publishers.TryCatch<Source, Source> = Publishers.TryCatch(upstream: source) { [source] _ in source
    }
    #expect(try tryCatching.handler(.oops) === tryCatching.upstream)
    #expect(Publishers.Retry<Source>(upstream: source, retries: 3).retries == 3)
    #expect(Publishers.Retry(upstream: source, retries: nil).retries == nil)
    let assert: Publishers.AssertNoFailure<Source> = Publishers.AssertNoFailure(
      upstream: source, prefix: "p", file: #file, line: 3)
    #expect(assert.prefix == "p")
    #expect(assert.line == 3)
    #expect(assert.file.description.hasSuffix(".swift"))
  }
}
