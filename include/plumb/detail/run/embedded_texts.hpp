// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are texts embedded into a file of vectors so that a job can be resumed?
//
// The journal contains the finished packs, each with the rows that it wrote and a hash of these
// rows. A resumed or merged run checks the hashes (written_rows.hpp).

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/rank/prompt_embedder.hpp"
#include "plumb/detail/rank/text_batches.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/records/npy_file.hpp"
#include "plumb/detail/run/deer_ranks.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/work.hpp"
#include "plumb/detail/run/written_rows.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Embeds the texts of a job. The model, folder and work must outlive this object. Not thread-safe.
template <DeerModel Model>
class EmbeddedTexts {
 public:
  EmbeddedTexts(Model& model, const RunFolder& folder, Work& work, FramingTokens around)
      : model_(model), folder_(folder), work_(work), around_(std::move(around)) {}

  /// Embeds texts, one list after another, into `what`.npy, unless that file exists. `names` has
  /// one name per text; the names are written to a file next to `what`.npy. In a shard, returns
  /// nothing and leaves the rows in `what`.npy.part. Throws a user error if the file has the wrong
  /// shape, or if rows differ from what was written.
  [[nodiscard]] std::optional<NpyFile> embedded(const std::string& what,
                                                const std::vector<std::string>& names,
                                                const TextLists& lists) {
    return with_embedder(model_,
                         [&](auto& embedder) { return embedded_by(embedder, what, names, lists); });
  }

 private:
  template <class TextEmbedder>
  [[nodiscard]] std::optional<NpyFile> embedded_by(TextEmbedder& embedder, const std::string& what,
                                                   const std::vector<std::string>& names,
                                                   const TextLists& lists) {
    const auto file = folder_.file(what + ".npy");
    std::optional<NpyWriter> writer;
    std::optional<NpyFile> whole;
    Part part(work_, what);
    if (file.exists()) {
      whole.emplace(file);
      check_shape(file, *whole, names.size(), embedder.dimension());
    } else {
      // Packs count as finished only as long as the file with their rows exists. A new file
      // contains none of their rows.
      if (!NpyWriter::is_unfinished(file, names.size(), embedder.dimension())) part.restart_part();
      writer.emplace(file, names.size(), embedder.dimension());
      work_.begin(what, names.size());
      for (const DiskPath& shard : work_.shards()) writer->take_rows(shard / (what + ".npy.part"));
    }
    const VectorRows vectors = whole ? whole->rows() : writer->rows();
    std::size_t first = 0, earlier = 0;
    for (const std::span<const std::string>& list : lists) {
      if (list.empty()) continue;
      auto job = embedder.plan(list, around_);
      work_.summary().cost += job.cost();
      std::vector<PackCost> packs;
      for (std::size_t p = 0; p < job.packs(); ++p) {
        if (writer) packs.push_back({job.texts(p), job.statements(p), job.tokens(p)});
        if (whole) check_rows(part, file, vectors, part.kept(earlier + p).value_or(Json::array()));
      }
      bool is_fresh = false;  // rows that were just written need not be read again
      part.generate_rows(
          packs,
          [&](std::size_t p) {
            std::vector<std::size_t> rows;
            embedder.embed(job, p, [&](std::size_t text, std::span<const float> row) {
              rows.push_back(first + text);
              writer->put(rows.back(), row);
            });
            writer->sync();  // otherwise a crash could preserve the journal line but lose its rows
            is_fresh = true;
            return written_rows(vectors, rows).dump();
          },
          [&](std::size_t, const Json& recorded) {
            if (!std::exchange(is_fresh, false)) check_rows(part, file, vectors, recorded);
          });
      first += list.size();
      earlier += job.packs();
    }
    // A shard may have been assigned every pack, but merging reads the rows of all shards.
    if (!part.is_whole() || work_.is_shard()) return std::nullopt;
    if (writer) {
      std::string lines;
      for (const std::string& name : names) lines += name + "\n";
      write_atomically(identifiers_of(file), lines);
      writer->finish();
      whole.emplace(file);
    }
    return whole;
  }

  static void check_shape(const DiskPath& file, const NpyFile& found, std::size_t rows,
                          std::size_t columns) {
    if (static_cast<std::size_t>(found.rows().rows()) == rows &&
        static_cast<std::size_t>(found.rows().cols()) == columns) {
      return;
    }
    throw user_error({.file = file}, "contains vectors whose shape differs from this run's",
                     "remove it, then `resume` to compute them again");
  }
  /// Throws a user error if rows differ from what a pack wrote.
  void check_rows(const Part& part, const DiskPath& file, VectorRows vectors,
                  const Json& recorded) const {
    std::optional<std::size_t> changed;
    try {
      changed = changed_row(vectors, recorded);
    } catch (const Json::exception&) {
      throw part.other_job();
    }
    if (!changed) return;
    const std::string where =
        "row " + std::to_string(*changed + 1) + " or another row of its pack differs from what ";
    if (!work_.shards().empty()) {
      throw user_error({.file = file}, where + "its shard wrote",
                       "run the shards again, then merge");
    }
    throw user_error({.file = file.exists() ? file : file + ".part"}, where + "this run wrote",
                     "remove the file, then `resume` to compute its vectors again");
  }

  Model& model_;
  const RunFolder& folder_;
  Work& work_;
  FramingTokens around_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
