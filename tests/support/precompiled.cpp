// SPDX-License-Identifier: Apache-2.0

// Empty: the target that precompiles headers needs a source.
