// SPDX-License-Identifier: Apache-2.0
#pragma once

// A WordNet with one word.

#include <string>

#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Enough of WordNet to reduce "gases" to "gas".
struct LittleWordNet {
  LittleWordNet() {
    for (const std::string part : {"noun", "verb", "adj", "adv"}) {
      folder.write("index." + part, part == "noun" ? "gas n 1 2 @ ~ 1 5 03467517  \n"
                                                   : "zyx n 1 2 @ ~ 1 5 03467517  \n");
      folder.write(part + ".exc", "");
    }
  }
  [[nodiscard]] std::string path() const { return folder.path().string(); }

  TemporaryFolder folder;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
