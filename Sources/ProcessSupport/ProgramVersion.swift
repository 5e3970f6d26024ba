// SPDX-License-Identifier: Apache-2.0
/// The version of both programs and of the contract that they share.
nonisolated public enum ProgramVersion { public static let current = "1.1.0" }
