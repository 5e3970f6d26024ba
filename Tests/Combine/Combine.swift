// SPDX-License-Identifier: Apache-2.0
// Code written for Combine says `import Combine` and finds the same names here; what Combine's overlay of Foundation
// has is in the other files of this directory.
@_exported import Publishing
