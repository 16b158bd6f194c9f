// SPDX-License-Identifier: Apache-2.0

// Nothing of its own: the target that precompiles needs a source.
