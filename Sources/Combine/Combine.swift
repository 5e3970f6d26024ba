// SPDX-License-Identifier: Apache-2.0
/// `import Combine` for programs written for Apple's Combine: everything in `Publishing`, and ``TaskScheduler``.
@_exported import Publishing
