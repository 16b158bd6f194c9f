// SPDX-License-Identifier: Apache-2.0

// Is anything lost, or silently wrong, if the disk fails or the power is lost?
//
//   faults errors [--every N] [--job NAME]      every file call of every job fails, in every way
//   faults power-loss [--every N] [--job NAME] [--seed N]   the power is lost after each call that
//                                                           changes the disk
//
// Each job runs on tiny inputs (support/tiny_jobs.hpp). After a fault or an interrupted run, the
// job is resumed (--resume; a measurement is repeated) and must produce the same bytes as an
// undisturbed run. The following also count as failures: a fault that the job ignores although its
// results differ, a folder that is marked as complete but is not, and an error without a remedy.
// With --every N, only every Nth position is tried. The last line is a summary; the exit code is 1
// if there was a failure.

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "support/file_calls.hpp"
#include "support/power_loss.hpp"
#include "support/tiny_jobs.hpp"

namespace {

using namespace plumb::detail;
using namespace plumb::detail::test;
using Files = std::map<std::string, std::string>;

struct Options {
  std::string job;
  std::size_t every = 1;
  std::uint64_t seed = 0;
};

/// One job and the files of its undisturbed run.
class Trial {
 public:
  Trial(const TemporaryFolder& folder, const TinyJob& job) : folder_(folder), job_(job) {
    prepare();
    before_ = lasting_files(out());
    if (!job_.before.empty()) {
      std::filesystem::remove_all(kept());
      std::filesystem::copy(out(), kept(), std::filesystem::copy_options::recursive);
    }
    const TinyRun whole = run();
    if (whole.code != 0) throw std::runtime_error(job_.name + ": " + whole.err);
    expected_ = lasting_files(out());
  }

  [[nodiscard]] std::filesystem::path work() const { return folder_ / "work"; }
  [[nodiscard]] std::filesystem::path out() const { return work() / "out"; }
  [[nodiscard]] const Files& expected() const { return expected_; }

  /// Restores the folder to its state before the job.
  void prepare() {
    std::filesystem::remove_all(work());
    std::filesystem::create_directories(work());
    if (job_.before.empty()) return;
    if (std::filesystem::exists(kept())) {
      std::filesystem::copy(kept(), out(), std::filesystem::copy_options::recursive);
    } else if (const TinyRun made = call(job_.before, {}); made.code != 0) {
      throw std::runtime_error(job_.name + ": " + made.err);
    }
  }
  [[nodiscard]] TinyRun run() const { return call(job_.words, {}); }
  [[nodiscard]] TinyRun redo() const { return call(job_.words, job_.redo); }
  /// Returns what is wrong with a folder after a fault, or an empty string if nothing is.
  [[nodiscard]] std::string fault_of_folder() const {
    if (job_.refuses_its_own || !looks_complete(job_, out())) return "";
    Files found = lasting_files(out());
    std::erase_if(found, [](const auto& file) { return file.first.ends_with(".part"); });
    return found == expected_ || found == before_ ? "" : "looks complete and is not" + unlike();
  }
  /// Resumes the job and returns what is wrong afterwards.
  [[nodiscard]] std::string fault_of_redoing() const {
    if (job_.refuses_its_own) return "";
    const TinyRun again = redo();
    if (again.code != 0) return "does not go on: " + again.err;
    return lasting_files(out()) == expected_ ? "" : "resumes to different bytes" + unlike();
  }
  /// The files that differ from the expected ones.
  [[nodiscard]] std::string unlike() const {
    std::string names;
    const Files found = lasting_files(out());
    for (const auto& [name, text] : expected_) {
      const auto at = found.find(name);
      if (at == found.end()) names += " (" + name + " is missing)";
      if (at != found.end() && at->second != text) names += " (" + name + " differs)";
    }
    for (const auto& [name, text] : found) {
      if (!expected_.contains(name)) names += " (" + name + " is left)";
    }
    return names;
  }

 private:
  [[nodiscard]] std::filesystem::path kept() const { return folder_ / "kept"; }
  [[nodiscard]] TinyRun call(std::vector<std::string> words,
                             const std::vector<std::string>& more) const {
    words.insert(words.end(), more.begin(), more.end());
    return run_tiny(placed(std::move(words), folder_ / "in", out()), work() / "cache");
  }

  const TemporaryFolder& folder_;
  const TinyJob& job_;
  Files before_, expected_;
};

/// Counts failures and prints at most two of each kind.
class Failures {
 public:
  void add(const std::string& job, const std::string& where, const std::string& what) {
    if (what.empty()) return;
    ++count_;
    if (++seen_[job + what.substr(0, 40)] > 2) return;
    std::cout << "FAILED " << job << ", " << where << ": " << what
              << (what.back() == '\n' ? "" : "\n");
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
  std::map<std::string, std::size_t> seen_;
};

/// Whether the last line that a command wrote to stderr is an error with a remedy.
bool says_what_to_do(const std::string& err) {
  const std::size_t end = err.find_last_not_of('\n');
  const std::size_t begin = err.rfind('\n', end);
  const std::string last = err.substr(begin == err.npos ? 0 : begin + 1);
  return last.starts_with("plumb: ") && last.find("; ") != last.npos;
}

std::size_t failing_calls(const TemporaryFolder& folder, const TinyJob& job, const Options& options,
                          Failures& failures, std::size_t& absorbed) {
  Trial trial(folder, job);
  trial.prepare();
  watch_files(folder.path());
  (void)trial.run();
  const WatchedFiles sound = unwatch_files();
  std::size_t failed = 0;
  for (const FileFault fault : file_faults) {
    const std::size_t calls = sound.calls[static_cast<std::size_t>(fault)];
    for (std::size_t n = options.seed % options.every; n < calls; n += options.every) {
      trial.prepare();
      watch_files(folder.path());
      fail_file_call(fault, n);
      const TinyRun run = trial.run();
      const WatchedFiles seen = unwatch_files();
      const std::string where =
          std::string(name_of(fault)) + " at call " + std::to_string(n) + " (" + seen.failed + ")";
      ++failed;
      if (seen.failed.empty()) failures.add(job.name, where, "did not come to that call");
      if (run.code == 0) {
        ++absorbed;
        if (lasting_files(trial.out()) != trial.expected()) {
          failures.add(job.name, where, "passed over in silence" + trial.unlike());
        }
      } else if (run.code != 1 && run.code != 2) {
        failures.add(job.name, where, "ended with " + std::to_string(run.code));
      } else if (!says_what_to_do(run.err)) {
        failures.add(job.name, where, "does not say what to do: " + run.err);
      }
      failures.add(job.name, where, trial.fault_of_folder());
      if (run.code != 0) failures.add(job.name, where, trial.fault_of_redoing());
    }
  }
  std::size_t calls = sound.calls[static_cast<std::size_t>(FileFault::io)];
  std::cout << job.name << ": " << calls << " calls, " << failed << " faults" << std::endl;
  return failed;
}

std::size_t power_losses(const TemporaryFolder& folder, const TinyJob& job, const Options& options,
                         Failures& failures) {
  Trial trial(folder, job);
  const auto logged = [&](auto call) {
    watch_files(trial.work());
    log_file_calls();
    call();
    return unwatch_files().events;
  };
  trial.prepare();
  LoggedDisk disk(trial.work());
  const auto events = logged([&] { (void)trial.run(); });
  std::size_t losses = 0;
  for (std::size_t n = 0; n <= events.size(); ++n) {
    if (n > 0) disk.add(events[n - 1]);
    if (n % options.every != options.seed % options.every && n < events.size()) continue;
    for (const Unsynced kept : unsynced_kinds) {
      const std::uint64_t seed = options.seed * 1'000'003 + n;
      const std::string where = "power lost after " + std::to_string(n) + " of " +
                                std::to_string(events.size()) + " changes, " +
                                std::string(name_of(kept));
      disk.restore(kept, seed);
      ++losses;
      failures.add(job.name, where, trial.fault_of_folder());
      if (n == events.size() && lasting_files(trial.out()) != trial.expected()) {
        failures.add(job.name, where, "was said to be done and is not" + trial.unlike());
      }
      if (n == events.size()) continue;
      if (kept == Unsynced::random) {  // also lose power while the job is being resumed
        LoggedDisk second(trial.work());
        const auto more = logged([&] { (void)trial.redo(); });
        RandomStream random(seed, "second loss");
        const std::size_t most = random.below(more.size() + 1);
        for (std::size_t i = 0; i < most; ++i) second.add(more[i]);
        second.restore(random.below(2) == 0 ? Unsynced::random : Unsynced::lost, seed + 2);
        ++losses;
        failures.add(job.name, where + ", and again", trial.fault_of_folder());
        failures.add(job.name, where + ", and again", trial.fault_of_redoing());
      } else {
        failures.add(job.name, where, trial.fault_of_redoing());
      }
    }
  }
  std::cout << job.name << ": " << events.size() << " changes, " << losses << " losses"
            << std::endl;
  return losses;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  Options options;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--every") options.every = std::max<std::size_t>(1, std::stoul(argv[i + 1]));
    if (name == "--job") options.job = argv[i + 1];
    if (name == "--seed") options.seed = std::stoul(argv[i + 1]);
  }
  if (mode != "errors" && mode != "power-loss") {
    std::cerr << "faults errors|power-loss [--every N] [--job NAME] [--seed N]\n";
    return 2;
  }
  const TemporaryFolder folder;
  write_tiny_inputs(folder, "in");
  Failures failures;
  std::size_t tried = 0, absorbed = 0, jobs = 0;
  for (const TinyJob& job : tiny_jobs()) {
    if (!options.job.empty() && options.job != job.name) continue;
    ++jobs;
    std::filesystem::remove_all(folder / "kept");
    tried += mode == "errors" ? failing_calls(folder, job, options, failures, absorbed)
                              : power_losses(folder, job, options, failures);
  }
  if (mode == "errors") {
    std::cout << jobs << " jobs, " << tried << " faults injected, " << absorbed
              << " of them harmless, " << failures.count() << " failures" << std::endl;
  } else {
    std::cout << jobs << " jobs, " << tried << " power losses, " << failures.count() << " failures"
              << std::endl;
  }
  return failures.count() == 0 && jobs > 0 ? 0 : 1;
}
