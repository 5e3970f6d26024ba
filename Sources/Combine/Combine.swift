// SPDX-License-Identifier: Apache-2.0
/// `import Combine` for programs written for Apple's Combine: everything in `Publishing`, and its additions to Foundation
/// and Dispatch. A program that does not use Foundation imports `Publishing`.
@_exported import Publishing
