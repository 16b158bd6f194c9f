// SPDX-License-Identifier: Apache-2.0
#pragma once

// Results folders in lm-pub-quiz's format, without plumb's own fields.

#include <string>
#include <vector>

#include "plumb/detail/data/json_file.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

class ResultsFolder {
 public:
  /// Adds a relation with its rows, each a JSON line without its newline.
  void add(const std::string& code, const std::vector<std::string>& options,
           const std::vector<std::string>& templates, const Json& relation_info,
           const std::vector<std::string>& rows) {
    metadata_[code] = {{"templates", templates},
                       {"answer_space_labels", options},
                       {"reduction", "sum"},
                       {"relation_info", relation_info}};
    std::string text;
    for (const std::string& row : rows) text += row + "\n";
    folder_.write(code + "_results.jsonl", text);
    save();
  }

  /// Sets another field of a relation's metadata.
  void set(const std::string& code, const std::string& field, const Json& value) {
    metadata_[code][field] = value;
    save();
  }

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] const TemporaryFolder& files() const { return folder_; }

 private:
  void save() const { folder_.write("metadata_results.json", metadata_.dump()); }

  TemporaryFolder folder_;
  Json metadata_ = Json::object();
};

/// A row with all the fields that plumb reads.
[[nodiscard]] inline std::string row(const std::string& subject, std::size_t instance,
                                     std::size_t template_index, std::size_t answer,
                                     const std::vector<double>& scores) {
  return Json{{"sub_id", subject},
              {"sub_label", subject},
              {"sub_aliases", Json::array()},
              {"answer_idx", answer},
              {"template_index", template_index},
              {"instance_index", instance},
              {"pll_scores", scores}}
      .dump();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
