/// Puts values on the wire, in this machine's byte order, as the D-Bus specification says under "Marshaling (Wire Format)".
///
/// For what libdbus need not see: it writes a value at a time and looks at the types anew for each, which costs ten times
/// as much.
nonisolated struct Marshaller {
  /// What has been written; the first byte stands where every alignment begins.
  private(set) var bytes: [UInt8] = []

  /// Has room for so many bytes before more is needed.
  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Writes a value, which has been checked: what libdbus would abort for stays unnoticed here.
  mutating func write(_ value: Value) {
    switch value {
    case .byte(let number): bytes.append(number)
    case .boolean(let flag): write(flag ? 1 : 0 as UInt32)
    case .int16(let number): write(number)
    case .uint16(let number): write(number)
    case .int32(let number): write(number)
    case .uint32(let number): write(number)
    case .int64(let number): write(number)
    case .uint64(let number): write(number)
    case .double(let number): write(number.bitPattern)
    case .string(let string): write(text: string)
    case .objectPath(let path): write(text: path.rawValue)
    case .signature(let signature): write(signature: signature.rawValue)
    case .variant(let inner):
      write(signature: inner.signature)
      write(inner)
    case .structure(let fields):
      align(to: 8)
      for field in fields { write(field) }
    case .bytes(let bytes):
      array(alignedTo: 1) { $0.bytes += bytes }
    case .array(let type, let elements):
      array(alignedTo: type.alignment) { for element in elements { $0.write(element) } }
    case .dictionary(_, _, let entries):
      array(alignedTo: 8) {
        for entry in entries {
          $0.align(to: 8)
          $0.write(entry.key)
          $0.write(entry.value)
        }
      }
    }
  }

  private mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    align(to: MemoryLayout<Number>.size)
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
  }

  private mutating func write(text: String) {
    // Checked values take 16 MiB at most.
    write(UInt32(truncatingIfNeeded: text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  private mutating func write(signature: String) {
    bytes.append(UInt8(truncatingIfNeeded: signature.utf8.count))
    bytes.append(contentsOf: signature.utf8)
    bytes.append(0)
  }

  /// The length is that of the elements, without what is left free before the first.
  private mutating func array(alignedTo alignment: Int, _ elements: (inout Marshaller) -> Void) {
    write(0 as UInt32)
    let place = bytes.count - 4
    align(to: alignment)
    let first = bytes.count
    elements(&self)
    let length = UInt32(truncatingIfNeeded: bytes.count - first)
    bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: place, as: UInt32.self) }
  }

  private mutating func align(to alignment: Int) {
    while bytes.count % alignment != 0 { bytes.append(0) }
  }
}

nonisolated extension Signature {
  /// Where on the wire a value of this single type may begin: at a multiple of so many bytes.
  fileprivate var alignment: Int {
    switch rawValue.utf8.first.map(UnicodeScalar.init) {
    case "n", "q": 2
    case "b", "i", "u", "s", "o", "a": 4
    case "x", "t", "d", "(", "{": 8
    default: 1
    }
  }
}
