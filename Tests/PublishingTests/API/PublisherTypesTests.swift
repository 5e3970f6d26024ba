// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// Makes every type in `Publishers` by its initializer and reads its public properties: what does not compile here is
/// not there.
@Suite("API: types of operators") struct PublisherTypesTests {
  typealias Source = PassthroughSubject<Int, TestError>
  let source = Source()

  @Test func `the types of transforming operators`() throws {
    let map: Publishers.Map<Source, String> = Publishers.Map(upstream: source) { "\($0)" }
    #expect(map.upstream === source)
    #expect(map.transform(1) == "1")
    let tryMap: Publishers.TryMap<Source, Int> = Publishers.TryMap(upstream: source) { $0 }
    #expect(try tryMap.transform(1) == 1)
    let keyPath: Publishers.MapKeyPath<Source, String> = source.map(\.description)
    #expect(keyPath.upstream === source)
    #expect(keyPath.keyPath == \Int.description)
    let keyPaths: Publishers.MapKeyPath2<Source, Int, String> = source.map(\.magnitude.nonzeroBitCount, \.description)
    #expect(keyPaths.keyPath1 == \Int.description)
    let three: Publishers.MapKeyPath3<Source, String, String, String> =
      source.map(\.description, \.description, \.description)
    #expect(three.keyPath0 == three.keyPath2)
    let mapError: Publishers.MapError<Source, TestError> = Publishers.MapError(upstream: source) { $0 }
    #expect(mapError.transform(.oops) == .oops)
    let failure: Publishers.SetFailureType<PassthroughSubject<Int, Never>, TestError> =
      PassthroughSubject<Int, Never>().setFailureType(to: TestError.self)
    _ = failure.upstream
    let compact: Publishers.CompactMap<Source, Int> = Publishers.CompactMap(upstream: source) { $0 }
    #expect(compact.transform(1) == 1)
    let tryCompact: Publishers.TryCompactMap<Source, Int> = Publishers.TryCompactMap(upstream: source) { $0 }
    #expect(try tryCompact.transform(1) == 1)
    let scan: Publishers.Scan<Source, Int> = Publishers.Scan(upstream: source, initialResult: 1, nextPartialResult: +)
    #expect(scan.initialResult == scan.nextPartialResult(1, 0))
    let tryScan: Publishers.TryScan<Source, Int> =
      Publishers.TryScan(upstream: source, initialResult: 1, nextPartialResult: { $0 + $1 })
    #expect(try tryScan.initialResult == tryScan.nextPartialResult(1, 0))
    let flat: Publishers.FlatMap<Source, Source> =
      Publishers.FlatMap(upstream: source, maxPublishers: .max(2)) { [source] _ in source }
    #expect(flat.maxPublishers == .max(2))
    #expect(flat.transform(1) === flat.upstream)
    let replaceNil: Publishers.Map<PassthroughSubject<Int?, Never>, Int> =
      PassthroughSubject<Int?, Never>().replaceNil(with: 1)
    #expect(replaceNil.transform(nil) == 1)
  }

  @Test func `the types of filtering operators`() throws {
    let filter: Publishers.Filter<Source> = Publishers.Filter(upstream: source) { $0 > 1 }
    #expect(filter.isIncluded(2))
    let tryFilter: Publishers.TryFilter<Source> = Publishers.TryFilter(upstream: source) { $0 > 1 }
    #expect(try tryFilter.isIncluded(2))
    let duplicates: Publishers.RemoveDuplicates<Source> = Publishers.RemoveDuplicates(upstream: source, predicate: ==)
    #expect(duplicates.predicate(1, 1))
    let tryDuplicates: Publishers.TryRemoveDuplicates<Source> =
      Publishers.TryRemoveDuplicates(upstream: source, predicate: ==)
    #expect(try tryDuplicates.predicate(1, 1))
    let empty: Publishers.ReplaceEmpty<Source> = Publishers.ReplaceEmpty(upstream: source, output: 1)
    #expect(empty.output == 1)
    let error: Publishers.ReplaceError<Source> = Publishers.ReplaceError(upstream: source, output: 1)
    #expect(error.output == 1)
    let ignore: Publishers.IgnoreOutput<Source> = Publishers.IgnoreOutput(upstream: source)
    #expect(ignore.upstream === source)
    let drop: Publishers.Drop<Source> = Publishers.Drop(upstream: source, count: 2)
    #expect(drop.count == 2)
    let dropWhile: Publishers.DropWhile<Source> = Publishers.DropWhile(upstream: source) { $0 > 1 }
    #expect(dropWhile.predicate(2))
    let tryDropWhile: Publishers.TryDropWhile<Source> = Publishers.TryDropWhile(upstream: source) { $0 > 1 }
    #expect(try tryDropWhile.predicate(2))
    let until: Publishers.DropUntilOutput<Source, Source> = Publishers.DropUntilOutput(upstream: source, other: source)
    #expect(until.other === until.upstream)
    let prefix: Publishers.PrefixWhile<Source> = Publishers.PrefixWhile(upstream: source) { $0 > 1 }
    #expect(prefix.predicate(2))
    let tryPrefix: Publishers.TryPrefixWhile<Source> = Publishers.TryPrefixWhile(upstream: source) { $0 > 1 }
    #expect(try tryPrefix.predicate(2))
    let prefixUntil: Publishers.PrefixUntilOutput<Source, Source> =
      Publishers.PrefixUntilOutput(upstream: source, other: source)
    #expect(prefixUntil.other === prefixUntil.upstream)
    let output: Publishers.Output<Source> = Publishers.Output(upstream: source, range: 1..<3)
    #expect(output.range == 1..<3)
    let count: Publishers.Output<Source> = source.prefix(2)
    #expect(count.range == 0..<2)
  }

  @Test func `the types of operators that answer`() throws {
    let all: Publishers.AllSatisfy<Source> = Publishers.AllSatisfy(upstream: source) { $0 > 1 }
    #expect(all.predicate(2))
    let tryAll: Publishers.TryAllSatisfy<Source> = Publishers.TryAllSatisfy(upstream: source) { $0 > 1 }
    #expect(try tryAll.predicate(2))
    let contains: Publishers.Contains<Source> = Publishers.Contains(upstream: source, output: 1)
    #expect(contains.output == 1)
    let containsWhere: Publishers.ContainsWhere<Source> = Publishers.ContainsWhere(upstream: source) { $0 > 1 }
    #expect(containsWhere.predicate(2))
    let tryContains: Publishers.TryContainsWhere<Source> = Publishers.TryContainsWhere(upstream: source) { $0 > 1 }
    #expect(try tryContains.predicate(2))
    let comparison: Publishers.Comparison<Source> = Publishers.Comparison(upstream: source, areInIncreasingOrder: <)
    #expect(comparison.areInIncreasingOrder(1, 2))
    let tryComparison: Publishers.TryComparison<Source> =
      Publishers.TryComparison(upstream: source, areInIncreasingOrder: <)
    #expect(try tryComparison.areInIncreasingOrder(1, 2))
    let count: Publishers.Count<Source> = Publishers.Count(upstream: source)
    let first: Publishers.First<Source> = Publishers.First(upstream: source)
    let last: Publishers.Last<Source> = Publishers.Last(upstream: source)
    #expect(count.upstream === first.upstream)
    #expect(first.upstream === last.upstream)
    let firstWhere: Publishers.FirstWhere<Source> = Publishers.FirstWhere(upstream: source) { $0 > 1 }
    #expect(firstWhere.predicate(2))
    let tryFirst: Publishers.TryFirstWhere<Source> = Publishers.TryFirstWhere(upstream: source) { $0 > 1 }
    #expect(try tryFirst.predicate(2))
    let lastWhere: Publishers.LastWhere<Source> = Publishers.LastWhere(upstream: source) { $0 > 1 }
    #expect(lastWhere.predicate(2))
    let tryLast: Publishers.TryLastWhere<Source> = Publishers.TryLastWhere(upstream: source) { $0 > 1 }
    #expect(try tryLast.predicate(2))
    let reduce: Publishers.Reduce<Source, Int> = Publishers.Reduce(upstream: source, initial: 1, nextPartialResult: +)
    #expect(reduce.initial == reduce.nextPartialResult(1, 0))
    let tryReduce: Publishers.TryReduce<Source, Int> =
      Publishers.TryReduce(upstream: source, initial: 1, nextPartialResult: { $0 + $1 })
    #expect(try tryReduce.initial == tryReduce.nextPartialResult(1, 0))
    let collect: Publishers.Collect<Source> = Publishers.Collect(upstream: source)
    let byCount: Publishers.CollectByCount<Source> = Publishers.CollectByCount(upstream: source, count: 2)
    #expect(collect.upstream === byCount.upstream)
    #expect(byCount.count == 2)
  }

  @Test func `the types of operators over several publishers`() {
    let concatenate: Publishers.Concatenate<Source, Source> = Publishers.Concatenate(prefix: source, suffix: source)
    #expect(concatenate.prefix === concatenate.suffix)
    let merge: Publishers.Merge<Source, Source> = Publishers.Merge(source, source)
    #expect(merge.a === merge.b)
    let merge3: Publishers.Merge3<Source, Source, Source> = merge.merge(with: source)
    #expect(merge3.c === source)
    let merge8: Publishers.Merge8<Source, Source, Source, Source, Source, Source, Source, Source> =
      merge.merge(with: source, source, source, source, source, source)
    #expect(merge8.h === source)
    let many: Publishers.MergeMany<Source> = Publishers.MergeMany([source])
    #expect(many.publishers.count == 1)
    let latest: Publishers.CombineLatest<Source, Source> = Publishers.CombineLatest(source, source)
    let latest3: Publishers.CombineLatest3<Source, Source, Source> = Publishers.CombineLatest3(source, source, source)
    let latest4: Publishers.CombineLatest4<Source, Source, Source, Source> =
      Publishers.CombineLatest4(source, source, source, source)
    #expect(latest.b === latest3.c)
    #expect(latest4.d === source)
    let zip: Publishers.Zip<Source, Source> = Publishers.Zip(source, source)
    let zip3: Publishers.Zip3<Source, Source, Source> = Publishers.Zip3(source, source, source)
    let zip4: Publishers.Zip4<Source, Source, Source, Source> = Publishers.Zip4(source, source, source, source)
    #expect(zip.a === zip3.b)
    #expect(zip4.d === source)
    let outer = PassthroughSubject<Source, TestError>()
    let latestOf: Publishers.SwitchToLatest<Source, PassthroughSubject<Source, TestError>> =
      Publishers.SwitchToLatest(upstream: outer)
    #expect(latestOf.upstream === outer)
  }

  @Test func `the types of operators for failures`() throws {
    let catching: Publishers.Catch<Source, Source> = Publishers.Catch(upstream: source) { [source] _ in source }
    #expect(catching.handler(.oops) === catching.upstream)
    let tryCatching: Publishers.TryCatch<Source, Source> =
      Publishers.TryCatch(upstream: source) { [source] _ in source }
    #expect(try tryCatching.handler(.oops) === tryCatching.upstream)
    let retry: Publishers.Retry<Source> = Publishers.Retry(upstream: source, retries: 3)
    #expect(retry.retries == 3)
    #expect(Publishers.Retry(upstream: source, retries: nil).retries == nil)
    let assert: Publishers.AssertNoFailure<Source> =
      Publishers.AssertNoFailure(upstream: source, prefix: "p", file: #file, line: 3)
    #expect(assert.prefix == "p")
    #expect(assert.line == 3)
    #expect(assert.file.description.hasSuffix(".swift"))
  }
}
