// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// The other types in `Publishers`: time, sharing, observing, coding, and strategies.
@Suite("API: types of timed and sharing operators") struct TimedAndSharedTypesTests {
  typealias Source = PassthroughSubject<Int, TestError>
  typealias Clock = TestScheduler
  let source = Source()
  let clock = TestScheduler()

  @Test func `timed operators have Combine's types`() {
    let debounce: Publishers.Debounce<Source, Clock> = Publishers.Debounce(
      upstream: source, dueTime: 1, scheduler: clock, options: nil)
    #expect(debounce.dueTime == 1)
    #expect(debounce.options == nil)
    let throttle: Publishers.Throttle<Source, Clock> = Publishers.Throttle(
      upstream: source, interval: 1, scheduler: clock, latest: true)
    #expect(throttle.interval == 1)
    #expect(throttle.latest)
    let delay: Publishers.Delay<Source, Clock> = Publishers.Delay(
      upstream: source, interval: 1, tolerance: 0, scheduler: clock, options: nil)
    #expect(delay.tolerance == 0)
    #expect(delay.interval == 1)
    _ = source.delay(for: 1, tolerance: 0, scheduler: clock, options: nil)
    let timeout: Publishers.Timeout<Source, Clock> = Publishers.Timeout(
      upstream: source, interval: 1, scheduler: clock, options: nil, customError: { .oops })
    #expect(timeout.customError?() == .oops)
    _ = source.timeout(1, scheduler: clock, options: nil, customError: { .oops })
    #expect(Publishers.MeasureInterval<Source, Clock>(upstream: source, scheduler: clock).scheduler === clock)
    _ = source.measureInterval(using: clock, options: nil)
    #expect(Publishers.ReceiveOn<Source, Clock>(upstream: source, scheduler: clock, options: nil).scheduler === clock)
    #expect(Publishers.SubscribeOn<Source, Clock>(upstream: source, scheduler: clock, options: nil).scheduler === clock)
    let collect: Publishers.CollectByTime<Source, Clock> = Publishers.CollectByTime(
      upstream: source, strategy: .byTime(clock, 1), options: nil)
    #expect(collect.upstream === source)
    let strategy: Publishers.TimeGroupingStrategy<Clock> = .byTimeOrCount(clock, 1, 2)
    if case .byTimeOrCount(let context, let interval, let count) = strategy {
      #expect(context === clock)
      #expect(interval == 1)
      #expect(count == 2)
    }
  }

  @Test func `sharing operators have Combine's types`() {
    let multicast: Publishers.Multicast<Source, Source> = Publishers.Multicast(upstream: source) { Source() }
    #expect(multicast.upstream === source)
    #expect(multicast.createSubject() !== multicast.createSubject())
    #expect(Publishers.Share<Source>(upstream: source).upstream === source)
    let connectable: Publishers.MakeConnectable<PassthroughSubject<Int, Never>> =
      PassthroughSubject<Int, Never>().makeConnectable()
    let autoconnect: Publishers.Autoconnect<Publishers.Multicast<Source, Source>> = multicast.autoconnect()
    #expect(autoconnect.upstream === multicast)
    connectable.connect().cancel()
    let buffer: Publishers.Buffer<Source> = Publishers.Buffer(
      upstream: source, size: 2, prefetch: .keepFull, whenFull: .dropNewest)
    #expect(buffer.size == 2)
    #expect(buffer.prefetch == .keepFull)
    #expect(Set([Publishers.PrefetchStrategy.keepFull, .byRequest]).count == 2)
    if case .dropNewest = buffer.whenFull {} else { Issue.record("another strategy") }
    let failing: Publishers.BufferingStrategy<TestError> = .customError { .oops }
    if case .customError(let make) = failing { #expect(make() == .oops) }
  }

  private struct TextCoder: TopLevelEncoder, TopLevelDecoder {
    func encode<T: Encodable>(_ value: T) throws -> String { "\(value)" }
    func decode<T: Decodable>(_ type: T.Type, from: String) throws -> T { throw TestError.oops }
  }

  @Test func `observing and coding operators have Combine's types`() {
    let print: Publishers.Print<Source> = Publishers.Print(upstream: source, prefix: "p", to: nil)
    #expect(print.prefix == "p")
    #expect(print.stream == nil)
    let handle: Publishers.HandleEvents<Source> = Publishers.HandleEvents(
      upstream: source, receiveOutput: { _ in }, receiveRequest: nil)
    #expect(handle.receiveOutput != nil)
    #expect(handle.receiveCancel == nil)
    #expect(handle.receiveSubscription == nil)
    #expect(handle.receiveCompletion == nil)
    #expect(handle.receiveRequest == nil)
    let breakpoint: Publishers.Breakpoint<Source> = Publishers.Breakpoint(upstream: source, receiveOutput: { $0 > 1 })
    #expect(breakpoint.receiveOutput?(2) == true)
    #expect(breakpoint.receiveSubscription == nil)
    #expect(breakpoint.receiveCompletion == nil)
    #expect(Publishers.Encode<Source, TextCoder>(upstream: source, encoder: TextCoder()).upstream === source)
    let texts = PassthroughSubject<String, TestError>()
    let decode: Publishers.Decode<PassthroughSubject<String, TestError>, Int, TextCoder> =
      texts.decode(type: Int.self, decoder: TextCoder())
    #expect(decode.upstream === texts)
  }

  @Test func `publishers that are equatable in Combine can be compared`() {
    let (a, b) = (Just(1), Just(2))
    #expect(Publishers.Count(upstream: a) == Publishers.Count(upstream: a))
    #expect(Publishers.Concatenate(prefix: a, suffix: b) == Publishers.Concatenate(prefix: a, suffix: b))
    #expect(Publishers.Contains(upstream: a, output: 1) != Publishers.Contains(upstream: a, output: 2))
    #expect(Publishers.Drop(upstream: a, count: 1) == Publishers.Drop(upstream: a, count: 1))
    #expect(Publishers.DropUntilOutput(upstream: a, other: b) == Publishers.DropUntilOutput(upstream: a, other: b))
    #expect(Publishers.First(upstream: a) != Publishers.First(upstream: b))
    #expect(Publishers.Last(upstream: a) == Publishers.Last(upstream: a))
    #expect(Publishers.IgnoreOutput(upstream: a) == Publishers.IgnoreOutput(upstream: a))
    #expect(Publishers.Collect(upstream: a) == Publishers.Collect(upstream: a))
    #expect(Publishers.CollectByCount(upstream: a, count: 1) != Publishers.CollectByCount(upstream: a, count: 2))
    #expect(Publishers.Output(upstream: a, range: 0..<1) == Publishers.Output(upstream: a, range: 0..<1))
    #expect(Publishers.ReplaceEmpty(upstream: a, output: 1) == Publishers.ReplaceEmpty(upstream: a, output: 1))
    #expect(Publishers.ReplaceError(upstream: a, output: 1) == Publishers.ReplaceError(upstream: a, output: 1))
    #expect(Publishers.Retry(upstream: a, retries: 1) == Publishers.Retry(upstream: a, retries: 1))
    let typed = Publishers.SetFailureType<Just<Int>, TestError>(upstream: a)
    #expect(typed == Publishers.SetFailureType<Just<Int>, TestError>(upstream: a))
  }

  @Test func `publishers with several upstreams can be compared`() {
    let (a, b) = (Just(1), Just(2))
    #expect(Publishers.Merge(a, b) == Publishers.Merge(a, b))
    #expect(Publishers.Merge3(a, b, a) != Publishers.Merge3(a, b, b))
    #expect(Publishers.Merge4(a, b, a, b) == Publishers.Merge4(a, b, a, b))
    #expect(Publishers.Merge5(a, b, a, b, a) == Publishers.Merge5(a, b, a, b, a))
    #expect(Publishers.Merge6(a, b, a, b, a, b) == Publishers.Merge6(a, b, a, b, a, b))
    #expect(Publishers.Merge7(a, b, a, b, a, b, a) == Publishers.Merge7(a, b, a, b, a, b, a))
    #expect(Publishers.Merge8(a, b, a, b, a, b, a, b) == Publishers.Merge8(a, b, a, b, a, b, a, b))
    #expect(Publishers.MergeMany(a, b) == Publishers.MergeMany([a, b]))
    #expect(Publishers.CombineLatest(a, b) == Publishers.CombineLatest(a, b))
    #expect(Publishers.CombineLatest3(a, b, a) == Publishers.CombineLatest3(a, b, a))
    #expect(Publishers.CombineLatest4(a, b, a, b) == Publishers.CombineLatest4(a, b, a, b))
    #expect(Publishers.Zip(a, b) != Publishers.Zip(b, a))
    #expect(Publishers.Zip3(a, b, a) == Publishers.Zip3(a, b, a))
    #expect(Publishers.Zip4(a, b, a, b) == Publishers.Zip4(a, b, a, b))
  }
}
