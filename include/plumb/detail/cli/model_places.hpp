// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where is a model that is specified as hf:OWNER/NAME or hf:OWNER/NAME/FILE?
//
// First, in the cache of Hugging Face's own programs (HF_HUB_CACHE, else HF_HOME/hub, else
// ~/.cache/huggingface/hub): models--OWNER--NAME/refs/main contains the name of the current folder
// in snapshots/. hf:NAME is a model that was downloaded under a name without an owner ("gpt2"); its
// folder is models--NAME. Second, in plumb's cache,
// ${PLUMB_CACHE:-~/.cache/plumb}/models/OWNER/NAME. Non-goal: downloads.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <ios>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/cli/model_files.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/tsv.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ModelPlaces {
  DiskPath hub, own;
};

/// plumb's own cache, ${PLUMB_CACHE:-~/.cache/plumb}. `variable` returns the value of an
/// environment variable.
template <std::invocable<const char*> Variable>
[[nodiscard]] DiskPath plumb_cache(const Variable& variable) {
  const std::string given = variable("PLUMB_CACHE");
  return given.empty() ? DiskPath(std::string(variable("HOME"))) / ".cache/plumb" : DiskPath(given);
}
[[nodiscard]] inline DiskPath plumb_cache(const Console& console) {
  return plumb_cache([&](const char* name) { return console.variable(name); });
}

[[nodiscard]] inline ModelPlaces model_places(const Console& console) {
  const auto or_else = [](std::string given, const std::string& other) {
    return given.empty() ? other : given;
  };
  const std::string caches = console.variable("HOME") + "/.cache";
  const std::string of_all = or_else(console.variable("XDG_CACHE_HOME"), caches);
  const std::string home = or_else(console.variable("HF_HOME"), of_all + "/huggingface");
  return {or_else(console.variable("HF_HUB_CACHE"), home + "/hub"),
          plumb_cache(console) / "models"};
}

/// Identifies a model by its owner (empty for the oldest models, which have none), its name and, if
/// the user specifies one, a file.
struct HubName {
  std::string owner, name, file{};

  /// "OWNER/NAME", as `hf download` expects it.
  [[nodiscard]] std::string page() const { return owner.empty() ? name : owner + "/" + name; }
  [[nodiscard]] std::string word() const { return "hf:" + page(); }
  [[nodiscard]] DiskPath in_hub(const ModelPlaces& places) const {
    return places.hub / ("models--" + (owner.empty() ? "" : owner + "--") + name);
  }
  [[nodiscard]] DiskPath in_own(const ModelPlaces& places) const { return places.own / page(); }
  /// The model's existing folders, with the preferred one first.
  [[nodiscard]] std::vector<DiskPath> folders(const ModelPlaces& places) const {
    std::vector<DiskPath> found;
    const DiskPath reference = in_hub(places) / "refs/main";
    if (reference.is_file()) {
      const std::string text = read_text(reference);
      const std::string commit(trimmed(text));
      const DiskPath snapshot = in_hub(places) / "snapshots" / commit;
      if (!commit.empty() && snapshot.is_folder()) found.push_back(snapshot);
    }
    if (in_own(places).is_folder()) found.push_back(in_own(places));
    return found;
  }
};

[[nodiscard]] inline bool is_hub_name(std::string_view word) {
  return word.starts_with("hf:");
}

/// Throws a user error about `setting` if the argument is not hf: followed by a valid name.
[[nodiscard]] inline HubName parse_hub_name(const std::string& word, const std::string& setting) {
  const std::vector<std::string> parts = split(word.substr(3), '/');
  const bool sound = ranges::all_of(
      parts, [](const std::string& part) { return !part.empty() && part != "." && part != ".."; });
  if (!sound) {
    throw user_error({.setting = setting},
                     "'" + word + "' is not hf:OWNER/NAME or hf:OWNER/NAME/FILE",
                     "write the name as on the model's page");
  }
  if (parts.size() == 1) return {"", parts[0]};
  HubName made{parts[0], parts[1]};
  for (std::size_t i = 2; i < parts.size(); ++i) {
    add_to_list(made.file, parts[i], "/");
  }
  return made;
}

/// Whether a folder is itself a model. Folders of GGUF files often have a config.json too.
[[nodiscard]] inline bool is_model_folder(const DiskPath& folder) {
  return (folder / "config.json").exists() &&
         (!folder.files(".safetensors").empty() || folder.files(".gguf").empty());
}

/// A folder's .gguf files. If a model has several parts, only the first part is included; it stands
/// for the model.
[[nodiscard]] inline std::vector<DiskPath> gguf_models(const DiskPath& folder) {
  std::vector<DiskPath> files = folder.files(".gguf");
  std::erase_if(files, is_later_part);
  return files;
}

/// The model in a folder: the named file, the folder itself, or its only .gguf file; nullopt if
/// there is none. Throws a user error if there are several .gguf files to choose from.
[[nodiscard]] inline std::optional<DiskPath> model_in(const DiskPath& folder,
                                                      const HubName& named) {
  if (!named.file.empty()) {
    const DiskPath file = folder / named.file;
    return file.exists() ? std::optional(file) : std::nullopt;
  }
  if (is_model_folder(folder)) return folder;
  const std::vector<DiskPath> files = gguf_models(folder);
  if (files.empty()) return std::nullopt;
  if (files.size() == 1) return files.front();
  throw user_error({.file = folder},
                   "contains several models: " + text_list(files, &DiskPath::name),
                   "choose one, such as " + named.word() + "/" + files.front().name());
}

/// A model's path, and its name in results: NAME for a folder, the file name for a file.
struct FoundModel {
  std::filesystem::path path;
  std::string name{};
};

/// The model names of the folders in the two caches, whether or not they contain a model.
[[nodiscard]] inline std::vector<HubName> names_in(const ModelPlaces& places) {
  std::vector<HubName> names;
  constexpr std::string_view lead = "models--", between = "--";
  for (const DiskPath& entry :
       places.hub.is_folder() ? places.hub.list() : std::vector<DiskPath>{}) {
    const std::string name = entry.name();
    if (!name.starts_with(lead)) continue;
    const std::size_t at = name.find(between, lead.size());
    if (at == name.npos) {
      names.push_back({"", name.substr(lead.size())});
    } else {
      names.push_back(
          {name.substr(lead.size(), at - lead.size()), name.substr(at + between.size())});
    }
  }
  for (const DiskPath& owner :
       places.own.is_folder() ? places.own.list() : std::vector<DiskPath>{}) {
    if (!owner.is_folder()) continue;
    for (const DiskPath& model : owner.list()) {
      if (model.is_folder()) names.push_back({owner.name(), model.name()});
    }
  }
  return names;
}

/// "did you mean hf:o/n? " for a local model with the given name, or with that name under any
/// owner; otherwise an empty string.
[[nodiscard]] inline std::string did_you_mean_model(const HubName& given,
                                                    const ModelPlaces& places) {
  for (const HubName& name : names_in(places)) {
    const bool is_same = name.page() == given.page() || name.name == given.name;
    if (is_same && !name.folders(places).empty()) return "did you mean " + name.word() + "? ";
  }
  return "";
}

/// Throws a user error about `setting` for an argument that is not a path but would identify a
/// local model if prefixed with "hf:".
inline void refuse_bare_name(const std::string& word, const Console& console,
                             const std::string& setting) {
  const std::size_t slashes = static_cast<std::size_t>(ranges::count(word, '/'));
  if (word.empty() || slashes > 1 || word.front() == '/' || DiskPath(word).exists()) return;
  const std::size_t at = word.find('/');
  const HubName named =
      at == word.npos ? HubName{"", word} : HubName{word.substr(0, at), word.substr(at + 1)};
  const std::string meant = did_you_mean_model(named, model_places(console));
  if (meant.empty()) return;
  throw user_error({.setting = setting}, word + " is not a file or folder",
                   meant + "`plumb models` lists local models");
}

/// Finds the model that an argument specifies. An argument without hf: is a path, and the returned
/// name is then empty. Throws a user error about `setting` for a model that is not found.
[[nodiscard]] inline FoundModel found_model(const std::string& word, const Console& console,
                                            const std::string& setting = "model") {
  if (!is_hub_name(word)) {
    refuse_bare_name(word, console, setting);
    return {word};
  }
  const HubName named = parse_hub_name(word, setting);
  const ModelPlaces places = model_places(console);
  for (const DiskPath& folder : named.folders(places)) {
    if (const auto path = model_in(folder, named)) {
      return {path->path(), *path == folder ? named.name : path->name()};
    }
  }
  throw user_error({.setting = setting},
                   word + " is neither in " + named.in_hub(places).string() + " nor in " +
                       named.in_own(places).string(),
                   (named.folders(places).empty() ? did_you_mean_model(named, places) : "") +
                       "download it with `hf download " + named.page() +
                       (named.file.empty() ? "" : " " + named.file) + "`");
}

/// A local model: the argument that selects it, its size in bytes, its kind and its path.
struct LocalModel {
  std::string word;
  std::uintmax_t bytes = 0;
  std::string kind{};
  DiskPath path{};
};

[[nodiscard]] inline std::uintmax_t size_of(const DiskPath& file) {
  const auto stream = file.read();
  if (!stream) return 0;
  stream->seekg(0, std::ios::end);
  return static_cast<std::uintmax_t>(std::max<std::streamoff>(0, stream->tellg()));
}
[[nodiscard]] inline LocalModel local_gguf(std::string word, const DiskPath& file) {
  const std::vector<DiskPath> parts = model_files(file);
  LocalModel made{std::move(word), 0, "GGUF", file};
  for (const DiskPath& part : parts) made.bytes += size_of(part);
  if (parts.size() > 1) made.kind += ", " + std::to_string(parts.size()) + " parts";
  return made;
}

/// Describes a folder that contains a model, or part of a model after an unfinished download.
/// Returns nullopt for any other folder.
[[nodiscard]] inline std::optional<LocalModel> folder_at_hand(std::string word,
                                                              const DiskPath& folder) {
  const std::vector<DiskPath> weights = folder.files(".safetensors");
  const bool is_part =
      folder.files(".gguf").empty() && !(weights.empty() && folder.files(".bin").empty());
  if (!is_model_folder(folder) && !is_part) return std::nullopt;
  LocalModel one{std::move(word), 0, "folder", folder};
  try {
    const Json config = read_json_object(folder / "config.json");
    if (const auto type = first_string(config, "model_type")) one.kind += ", " + *type;
  } catch (const Error&) {
    one.kind += ", config.json cannot be read";
  }
  for (const DiskPath& file : weights) one.bytes += size_of(file);
  if (weights.empty()) one.kind += ", without .safetensors";
  return one;
}

/// The models in a folder that --model can select: the folder itself, its .gguf files and those in
/// its subfolders. `word` refers to the folder; `names_files` is true if a file name may follow
/// `word`.
[[nodiscard]] inline std::vector<LocalModel> models_in(const DiskPath& folder,
                                                       const std::string& word, bool names_files) {
  std::vector<LocalModel> all;
  if (auto one = folder_at_hand(word, folder)) all.push_back(*std::move(one));
  const auto add = [&](const DiskPath& of, const std::string& lead) {
    for (const DiskPath& file : names_files ? gguf_models(of) : std::vector<DiskPath>{}) {
      all.push_back(local_gguf(word + "/" + lead + file.name(), file));
    }
  };
  add(folder, "");
  for (const DiskPath& entry : folder.list()) {
    if (entry.is_folder()) add(entry, entry.name() + "/");
  }
  return all;
}

/// The models in the folders that the user specifies and in their subfolders, identified by path.
/// Throws a user error for an argument that is not a folder.
[[nodiscard]] inline std::vector<LocalModel> models_in_folder(
    const std::vector<std::string>& words) {
  std::vector<LocalModel> all;
  for (const std::string& word : words) {
    const DiskPath folder(word);
    if (!folder.is_folder()) {
      throw user_error({.file = folder}, "is not a folder",
                       "pass folders that contain models, or none to list downloaded models");
    }
    const std::string lead = word.ends_with('/') ? word.substr(0, word.size() - 1) : word;
    for (LocalModel& one : models_in(folder, lead, true)) all.push_back(std::move(one));
    for (const DiskPath& entry : folder.list()) {
      if (!entry.is_folder()) continue;
      auto one = folder_at_hand(lead + "/" + entry.name(), entry);
      if (one) all.push_back(*std::move(one));
    }
  }
  ranges::sort(all, {}, &LocalModel::word);
  return all;
}

/// The .gguf files in the other folders of plumb's own cache, such as the quickstart's folder,
/// identified by path.
[[nodiscard]] inline std::vector<LocalModel> files_beside(const ModelPlaces& places) {
  std::vector<LocalModel> all;
  const DiskPath cache = places.own.parent();
  for (const DiskPath& folder : cache.is_folder() ? cache.list() : std::vector<DiskPath>{}) {
    if (folder.name() == places.own.name() || !folder.is_folder()) continue;
    for (const DiskPath& file : gguf_models(folder)) {
      // llama.cpp's test vocabularies have no weights.
      if (!file.name().starts_with("ggml-vocab-")) {
        all.push_back(local_gguf(file.string(), file));
      }
    }
  }
  return all;
}

/// All models that --model can select, sorted by name. A model that is in both caches is listed
/// once, with the path that --model would use.
[[nodiscard]] inline std::vector<LocalModel> local_models(const ModelPlaces& places) {
  std::vector<LocalModel> all;
  for (const HubName& name : names_in(places)) {
    for (const DiskPath& folder : name.folders(places)) {
      // hf:NAME/FILE would be read as OWNER/NAME.
      for (LocalModel& one : models_in(folder, name.word(), !name.owner.empty())) {
        if (ranges::find(all, one.word, &LocalModel::word) == all.end()) all.push_back(one);
      }
    }
  }
  ranges::sort(all, {}, &LocalModel::word);
  return all;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
