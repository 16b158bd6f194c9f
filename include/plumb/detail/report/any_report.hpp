// SPDX-License-Identifier: Apache-2.0
#pragma once

// A report of any kind: what it leaves in a folder, and what it says on a terminal.

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A report's table within a width, where it takes one.
template <class Report>
std::string table_within(const Report& report, const TableWidth& width) {
  if constexpr (requires { report.table(width); }) {
    return report.table(width);
  } else {
    return report.table();
  }
}

/// Holds any report that has `write(path)`, `notes()` and `table()` or `table(TableWidth)`. Copies
/// share it. Any number of threads may use one, but only one at a time may write into a folder.
class AnyReport {
 public:
  template <class Report>
  requires(!std::derived_from<Report, AnyReport>) explicit AnyReport(Report report)
      : AnyReport(std::make_shared<const Report>(std::move(report))) {}

  /// Writes metrics.json, report.html and what else the report has into a folder that is there.
  void write(const DiskPath& folder) const { held_->write(folder); }
  /// What must be known beside the numbers, a line each.
  [[nodiscard]] std::vector<std::string> notes() const { return held_->notes(); }
  /// For a terminal, without the columns that do not fit.
  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    return held_->table(width);
  }

 protected:
  template <class Report>
  explicit AnyReport(std::shared_ptr<const Report> report)
      : held_(std::make_shared<Held<Report>>(std::move(report))) {}

  /// The report as it was given, which must be of this type.
  template <class Report>
  [[nodiscard]] const Report& held() const noexcept {
    return *static_cast<const Held<Report>&>(*held_).report;
  }

 private:
  struct Holder {
    virtual ~Holder() = default;
    virtual void write(const DiskPath& folder) const = 0;
    [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
    [[nodiscard]] virtual std::string table(const TableWidth& width) const = 0;
  };
  template <class Report>
  struct Held final : Holder {
    explicit Held(std::shared_ptr<const Report> held) : report(std::move(held)) {}
    void write(const DiskPath& folder) const override { report->write(folder); }
    [[nodiscard]] std::vector<std::string> notes() const override { return report->notes(); }
    [[nodiscard]] std::string table(const TableWidth& width) const override {
      return detail::table_within(*report, width);
    }
    std::shared_ptr<const Report> report;
  };

  std::shared_ptr<const Holder> held_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
