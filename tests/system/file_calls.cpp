// SPDX-License-Identifier: Apache-2.0
#include "support/file_calls.hpp"

// Replaces the C library's file functions under their own names. The linker prefers these functions
// to the C library's, for this program and for the C++ library that it uses. Calls on unwatched
// files are passed on directly.

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace {

using plumb::detail::test::file_faults;
using plumb::detail::test::FileEvent;
using plumb::detail::test::FileFault;
using Path = std::filesystem::path;

/// The kind of a call, which determines its possible faults.
enum class Call { look, open_read, read, open_write, write, sync, name, remove, cut, room, lock };

struct Watch {
  bool on = false, logs = false;
  std::string root;
  std::optional<FileFault> fault;
  std::size_t nth = 0;
  bool persists = false;
  plumb::detail::test::WatchedFiles seen;
  std::map<int, std::string> open_paths;         // by descriptor
  std::map<const void*, std::string> mapped;     // writable mappings
  std::map<std::string, std::uint64_t> numbers;  // by the files' current names
  std::uint64_t next_number = 1;
};

/// Every file call locks this mutex, because several threads read relations at the same time.
std::recursive_mutex& watch_lock() {
  static std::recursive_mutex& one = *new std::recursive_mutex;
  return one;
}

Watch& watch() {
  // never destroyed, because files may be closed at the very end of the program
  static Watch& one = *new Watch;
  return one;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
// Only functions of the C library are looked up by name.
#define PLUMB_LOCKED const std::lock_guard plumb_lock(watch_lock())
#define PLUMB_NEXT(function) static const auto real = next<decltype(&::function)>(#function)

std::string absolute(const char* path) {
  if (path[0] == '/') return Path(path).lexically_normal();
  char here[4096];
  return getcwd(here, sizeof here) == nullptr ? path : (Path(here) / path).lexically_normal();
}

bool is_watched(const std::string& path) {
  const Watch& w = watch();
  return w.on && path.starts_with(w.root);
}

bool can_have(Call call, FileFault fault) {
  const auto is = [&](std::initializer_list<Call> calls) {
    for (const Call one : calls) {
      if (one == call) return true;
    }
    return false;
  };
  switch (fault) {
    case FileFault::io:
      return true;
    case FileFault::no_space:
    case FileFault::full:
      return is({Call::open_write, Call::write, Call::sync, Call::name, Call::room});
    case FileFault::read_only:
      return is({Call::open_write, Call::name, Call::remove, Call::cut, Call::room});
    case FileFault::turned:
      return is({Call::open_write, Call::write, Call::name, Call::remove, Call::cut, Call::room});
    case FileFault::interrupted:
      return is({Call::open_read, Call::open_write, Call::read, Call::write, Call::sync, Call::lock,
                 Call::room});
    case FileFault::part:
      return is({Call::read, Call::write});
  }
  return false;
}

int number_of(FileFault fault) {
  if (fault == FileFault::io) return EIO;
  if (fault == FileFault::interrupted) return EINTR;
  return fault == FileFault::read_only || fault == FileFault::turned ? EROFS : ENOSPC;
}

/// Counts a call and returns its fault, if any.
std::optional<FileFault> fault_of(Call call, const char* what, const std::string& path) {
  Watch& w = watch();
  for (const FileFault fault : file_faults) {
    if (can_have(call, fault)) ++w.seen.calls[static_cast<std::size_t>(fault)];
  }
  if (!w.fault || !can_have(call, *w.fault)) return std::nullopt;
  const bool begins = w.seen.calls[static_cast<std::size_t>(*w.fault)] == w.nth + 1;
  if (!begins && !w.persists) return std::nullopt;
  if (begins) {
    w.seen.failed = std::string(what) + " " + path.substr(w.root.size());
    w.persists = *w.fault == FileFault::full || *w.fault == FileFault::turned;
  }
  return w.fault;
}

/// Whether a call on a path must fail; if so, sets errno.
bool fails(Call call, const char* what, const std::string& path) {
  if (!is_watched(path)) return false;
  const auto fault = fault_of(call, what, path);
  if (!fault || *fault == FileFault::part) return false;
  errno = number_of(*fault);
  return true;
}

void log(FileEvent event) {
  if (watch().logs) watch().seen.events.push_back(std::move(event));
}

std::uint64_t number_of(const std::string& path) {
  return watch().numbers[path];
}

bool is_there(const std::string& path) {
  return syscall(SYS_access, path.c_str(), F_OK) == 0;
}
bool is_folder(const std::string& path) {
  const long opened =
      syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return false;
  syscall(SYS_close, opened);
  return true;
}
std::string bytes_of(const std::string& path) {
  std::string text, block(1 << 16, '\0');
  const long opened = syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC);
  for (long got = 0;
       opened >= 0 && (got = syscall(SYS_read, opened, block.data(), block.size())) > 0;) {
    text.append(block, 0, static_cast<std::size_t>(got));
  }
  if (opened >= 0) syscall(SYS_close, opened);
  return text;
}

/// The path of a watched descriptor; null for other descriptors.
const std::string* path_of(int descriptor) {
  if (!watch().on) return nullptr;
  const auto found = watch().open_paths.find(descriptor);
  return found == watch().open_paths.end() ? nullptr : &found->second;
}

int open_watched(const std::string& path, int flags, mode_t mode) {
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  if (is_watched(path) && fails(writes                       ? Call::open_write
                                : (flags & O_DIRECTORY) != 0 ? Call::look
                                                             : Call::open_read,
                                "open", path)) {
    return -1;
  }
  const bool is_new = watch().on && writes && is_watched(path) && !is_there(path);
  const int opened = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), flags, mode));
  if (opened < 0 || !is_watched(path)) return opened;
  watch().open_paths[opened] = path;
  if (is_new) {
    watch().numbers[path] = watch().next_number++;
    log({FileEvent::Kind::create, path, {}, number_of(path)});
  } else if (writes && (flags & O_TRUNC) != 0) {
    log({FileEvent::Kind::cut, path, {}, number_of(path), 0});
  }
  return opened;
}

/// Moves the numbers of a renamed file or folder, and of everything below it, to the new names.
void move_numbers(const std::string& from, const std::string& to) {
  auto& numbers = watch().numbers;
  std::map<std::string, std::uint64_t> moved;
  for (auto it = numbers.begin(); it != numbers.end();) {
    if (it->first == from || it->first.starts_with(from + "/")) {
      moved[to + it->first.substr(from.size())] = it->second;
      it = numbers.erase(it);
    } else {
      ++it;
    }
  }
  for (auto& [name, number] : moved) numbers[name] = number;
}

/// Removing something that does not exist does not change the disk, so it does not count as a call.
int remove_watched(const char* path, long number) {
  const std::string whole = watch().on ? absolute(path) : path;
  if (is_watched(whole) && is_there(whole) && fails(Call::remove, "remove", whole)) return -1;
  const long done = syscall(number, path);
  if (done == 0 && is_watched(whole)) {
    watch().numbers.erase(whole);
    log({FileEvent::Kind::remove, whole});
  }
  return static_cast<int>(done);
}

/// Records that a file is resized to `size`; returns false if the call must fail.
bool cut_watched(const std::string& path, off_t size) {
  if (fails(Call::cut, "cut", path)) return false;
  log({FileEvent::Kind::cut, path, {}, number_of(path), static_cast<std::size_t>(size)});
  return true;
}

}  // namespace

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

void watch_files(const std::filesystem::path& root) {
  watch() = Watch();
  watch().root = root.string();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) watch().numbers[entry.path()] = watch().next_number++;
  }
  watch().on = true;
}
void fail_file_call(FileFault fault, std::size_t nth) {
  watch().fault = fault;
  watch().nth = nth;
}
void log_file_calls() {
  watch().logs = true;
}
WatchedFiles unwatch_files() {
  watch().on = false;
  return std::exchange(watch(), Watch()).seen;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test

extern "C" {

int open(const char* path, int flags, ...) {
  PLUMB_LOCKED;
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list more;
    va_start(more, flags);
    mode = va_arg(more, mode_t);
    va_end(more);
  }
  return open_watched(watch().on ? absolute(path) : path, flags, mode);
}

/// std::filesystem uses this function to traverse folders, with paths relative to an open folder.
int openat(int folder, const char* path, int flags, ...) {
  PLUMB_LOCKED;
  const std::string* const above = path_of(folder);
  std::string whole = path;
  if (path[0] == '/' || folder == AT_FDCWD) {
    whole = watch().on ? absolute(path) : path;
  } else if (above != nullptr) {
    whole = Path(*above) / path;
  } else {
    return static_cast<int>(syscall(SYS_openat, folder, path, flags, 0));
  }
  return open_watched(whole, flags, 0);
}

FILE* fopen64(const char* path, const char* mode) {
  PLUMB_LOCKED;
  PLUMB_NEXT(fopen64);
  if (!watch().on) return real(path, mode);
  const std::string whole = absolute(path);
  if (fails(Call::open_read, "open", whole)) return nullptr;
  FILE* const opened = real(path, mode);
  if (opened != nullptr && is_watched(whole)) watch().open_paths[fileno(opened)] = whole;
  return opened;
}

int close(int descriptor) {
  PLUMB_LOCKED;
  watch().open_paths.erase(descriptor);
  return static_cast<int>(syscall(SYS_close, descriptor));
}
int fclose(FILE* stream) {
  PLUMB_LOCKED;
  PLUMB_NEXT(fclose);
  watch().open_paths.erase(fileno(stream));
  return real(stream);
}

ssize_t read(int descriptor, void* into, size_t size) {
  PLUMB_LOCKED;
  if (const std::string* const path = path_of(descriptor)) {
    const auto fault = fault_of(Call::read, "read", *path);
    if (fault == FileFault::part && size > 1) {
      size /= 2;
    } else if (fault && *fault != FileFault::part) {
      errno = number_of(*fault);
      return -1;
    }
  }
  return syscall(SYS_read, descriptor, into, size);
}

ssize_t write(int descriptor, const void* from, size_t size) {
  PLUMB_LOCKED;
  const std::string* const path = path_of(descriptor);
  if (path == nullptr) return syscall(SYS_write, descriptor, from, size);
  const auto fault = fault_of(Call::write, "write", *path);
  const bool all = !fault || *fault == FileFault::interrupted || size < 2;
  const size_t asked = all ? size : size / 2;
  const bool writes = !fault || *fault == FileFault::part || *fault == FileFault::io ||
                      *fault == FileFault::no_space;
  ssize_t written = 0;
  if (writes) {
    struct stat before {};
    syscall(SYS_fstat, descriptor, &before);
    written = syscall(SYS_write, descriptor, from, asked);
    // Files are only appended to, so the offset is the size before the write.
    log({FileEvent::Kind::write,
         *path,
         {},
         number_of(*path),
         static_cast<std::size_t>(before.st_size),
         std::string(static_cast<const char*>(from), static_cast<size_t>(written))});
  }
  if (!fault || *fault == FileFault::part) return written;
  errno = number_of(*fault);
  return -1;
}

int fsync(int descriptor) {
  PLUMB_LOCKED;
  const std::string* const path = path_of(descriptor);
  if (path == nullptr) return static_cast<int>(syscall(SYS_fsync, descriptor));
  if (fails(Call::sync, "sync", *path)) return -1;
  if (is_folder(*path)) {
    log({FileEvent::Kind::sync_folder, *path});
  } else {
    log({FileEvent::Kind::sync, *path, {}, number_of(*path)});
  }
  return 0;  // nothing is really synced: a power loss is only simulated from the log
}

int rename(const char* from, const char* to) {
  PLUMB_LOCKED;
  if (!watch().on) return static_cast<int>(syscall(SYS_rename, from, to));
  const std::string old_path = absolute(from), path = absolute(to);
  if (fails(Call::name, "rename", path)) return -1;
  const long done = syscall(SYS_rename, from, to);
  if (done == 0 && is_watched(path)) {
    move_numbers(old_path, path);
    const auto file = watch().numbers.find(path);
    log({FileEvent::Kind::rename, old_path, path,
         file == watch().numbers.end() ? 0 : file->second});
  }
  return static_cast<int>(done);
}

int unlink(const char* path) noexcept {
  PLUMB_LOCKED;
  return remove_watched(path, SYS_unlink);
}
int remove(const char* path) noexcept {
  PLUMB_LOCKED;
  return remove_watched(path, is_folder(path) ? SYS_rmdir : SYS_unlink);
}

int mkdir(const char* path, mode_t mode) {
  PLUMB_LOCKED;
  const std::string whole = watch().on ? absolute(path) : path;
  if (is_watched(whole) && !is_there(whole) && fails(Call::name, "make", whole)) return -1;
  const long done = syscall(SYS_mkdir, path, mode);
  if (done == 0 && is_watched(whole)) log({FileEvent::Kind::folder, whole});
  return static_cast<int>(done);
}

int truncate(const char* path, off_t size) noexcept {
  PLUMB_LOCKED;
  const std::string whole = watch().on ? absolute(path) : path;
  if (is_watched(whole) && !cut_watched(whole, size)) return -1;
  return static_cast<int>(syscall(SYS_truncate, path, size));
}
int ftruncate(int descriptor, off_t size) noexcept {
  PLUMB_LOCKED;
  const std::string* const path = path_of(descriptor);
  if (path != nullptr && !cut_watched(*path, size)) return -1;
  return static_cast<int>(syscall(SYS_ftruncate, descriptor, size));
}

/// Returns the error, if any, instead of setting errno.
int posix_fallocate(int descriptor, off_t offset, off_t size) {
  PLUMB_LOCKED;
  PLUMB_NEXT(posix_fallocate);
  const std::string* const path = path_of(descriptor);
  if (path != nullptr) {
    if (fails(Call::room, "make room in", *path)) return errno;
    log({FileEvent::Kind::cut,
         *path,
         {},
         number_of(*path),
         static_cast<std::size_t>(offset + size)});
  }
  return real(descriptor, offset, size);
}

int flock(int descriptor, int operation) noexcept {
  PLUMB_LOCKED;
  const std::string* const path = path_of(descriptor);
  if (path != nullptr && fails(Call::lock, "lock", *path)) return -1;
  return static_cast<int>(syscall(SYS_flock, descriptor, operation));
}

int stat(const char* path, struct stat* into) noexcept {
  PLUMB_LOCKED;
  PLUMB_NEXT(stat);
  if (watch().on && fails(Call::look, "look at", absolute(path))) return -1;
  return real(path, into);
}

void* mmap(void* at, size_t size, int protection, int flags, int descriptor,
           off_t offset) noexcept {
  PLUMB_LOCKED;
  void* const made =
      reinterpret_cast<void*>(syscall(SYS_mmap, at, size, protection, flags, descriptor, offset));
  const std::string* const path = descriptor < 0 ? nullptr : path_of(descriptor);
  if (path != nullptr && (protection & PROT_WRITE) != 0) watch().mapped[made] = *path;
  return made;
}
/// Changes since the last call reach the disk only when this function is called.
int msync(void* at, size_t size, int flags) {
  PLUMB_LOCKED;
  const auto found = watch().on ? watch().mapped.find(at) : watch().mapped.end();
  if (found != watch().mapped.end()) {
    const std::string& path = found->second;
    if (fails(Call::sync, "sync", path)) return -1;
    if (watch().logs) {
      log({FileEvent::Kind::write, path, {}, number_of(path), 0, bytes_of(path)});
      log({FileEvent::Kind::sync, path, {}, number_of(path)});
    }
  }
  return static_cast<int>(syscall(SYS_msync, at, size, flags));
}

}  // extern "C"
