// SPDX-License-Identifier: Apache-2.0
#include "support/console_run_over.hpp"

template plumb::test::ConsoleRun plumb::test::run_over(std::vector<std::string>,
                                                       const MakeModel<PlainEmbedder>&);
