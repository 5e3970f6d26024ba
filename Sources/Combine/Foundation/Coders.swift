// SPDX-License-Identifier: Apache-2.0
import Foundation
import Publishing

extension JSONEncoder: TopLevelEncoder {
  public typealias Output = Data
}

extension JSONDecoder: TopLevelDecoder {
  public typealias Input = Data
}

extension PropertyListEncoder: TopLevelEncoder {
  public typealias Output = Data
}

extension PropertyListDecoder: TopLevelDecoder {
  public typealias Input = Data
}
