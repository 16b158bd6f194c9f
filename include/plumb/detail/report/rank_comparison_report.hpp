// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a comparison of rankings writes to a folder and shows on a terminal.
//
// Writes metrics.json; metrics.csv, with a row for each number of each model, overall and by
// relation; rank_pairs.csv, with a row for each number of each pair of models; ranks.csv, with a
// row for each query and method that lists every model's rank; and report.html.

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/rank/rank_comparison.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using RankComparisonReport = ReportOf<RankComparison>;

/// `settings` is the object shown in the page's last table.
[[nodiscard]] RankComparisonReport rank_comparison_report(RankComparison made, Json settings);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/heat_map.hpp"
#include "plumb/detail/report/metrics_json.hpp"
#include "plumb/detail/report/rank_comparison_columns.hpp"
#include "plumb/detail/report/rank_json.hpp"
#include "plumb/detail/report/rank_scatter.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

class RankComparisonReportBody {
 public:
  RankComparisonReportBody(RankComparison made, Json settings)
      : made_(std::move(made)), settings_(std::move(settings)) {}

  [[nodiscard]] const RankComparison& results() const noexcept { return made_; }
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return made_.remarks; }

  [[nodiscard]] Json metrics() const {
    Json json = metrics_head(made_.bootstrap);
    json["remarks"] = made_.remarks;
    json["methods"] = Json::object();
    for (const MethodComparison& of : made_.methods) {
      Json& method = json["methods"][of.method];
      method["models"] = Json::object();
      for (const RankStanding& one : of.standings) {
        Json& model = method["models"][made_.models[one.model].name];
        model["candidates"] = made_.ranked(one).candidates;
        model["raw"] = json_of(rank_columns(), made_.ranked(one).realistic());
        model["filtered"] = json_of(rank_columns(), filtered(made_.ranked(one)));
      }
      for (const RankStanding& one : of.standings) {
        Json& model = method["models"][made_.models[one.model].name];
        if (const auto parameters = made_.models[one.model].parameters) {
          model["parameters"] = *parameters;
        }
      }
      method["differences"] = Json::array();
      for (const RankDifference& one : of.differences) {
        Json pair = {{"models", {made_.models[one.first].name, made_.models[one.second].name}}};
        pair.update(json_of(rank_difference_columns(), one));
        method["differences"].push_back(std::move(pair));
      }
    }
    json["agreement"] = Json::object();
    for (const ModelAgreement& one : model_agreements(made_)) {
      json["agreement"][one.methods()][one.model->name] = {
          {"queries", one.agreement->shared.size()},
          {"log_rank", to_json(one.agreement->log_rank)},
          {"rank", to_json(one.agreement->rank)}};
    }
    json["sizes"] = Json::array();
    for (const SizeSeries& one : made_.sizes) {
      Json models = Json::array();
      for (const std::size_t m : one.models) models.push_back(made_.models[m].name);
      json["sizes"].push_back({{"family", one.family},
                               {"method", one.method},
                               {"measure", one.measure},
                               {"models", std::move(models)},
                               {"monotone", one.monotone}});
    }
    json["monotone_share"] = number_or_null(made_.monotone_share());
    return json;
  }

  [[nodiscard]] std::vector<ReportFile> files() const {
    EstimateCsv numbers({"method", "model", "ranks", "relation", "metric"});
    EstimateCsv pairs({"method", "first", "second", "metric"});
    for (const MethodComparison& of : made_.methods) {
      for (const RankStanding& one : of.standings) {
        const std::string& model = made_.models[one.model].name;
        add_numbers(numbers, {of.method, model, "raw", ""}, rank_columns(),
                    made_.ranked(one).realistic());
        add_numbers(numbers, {of.method, model, "filtered", ""}, rank_columns(),
                    filtered(made_.ranked(one)));
        for (const auto& [relation, metrics] : made_.ranked(one).by_relation) {
          add_numbers(numbers, {of.method, model, "raw", relation}, rank_columns(), metrics);
        }
      }
      for (const RankDifference& one : of.differences) {
        add_numbers(pairs, {of.method, made_.models[one.first].name, made_.models[one.second].name},
                    rank_difference_columns(), one);
      }
    }
    return {
        {"metrics.csv", numbers.text()}, {"rank_pairs.csv", pairs.text()}, {"ranks.csv", ranks()}};
  }

  /// The models under each method and, if there are only a few models, their pairs.
  [[nodiscard]] std::vector<NamedTable> tables() const {
    std::vector<NamedTable> tables;
    for (const MethodComparison& of : made_.methods) {
      tables.push_back({of.method, table_of(named_rank_columns("model by " + of.method, true),
                                            rows_of(made_, of))});
      // If there are many models, their pairs are shown only on the page.
      if (of.differences.empty() || of.standings.size() > 5) continue;
      tables.push_back(
          {of.method + "_pairs", table_of(named_rank_difference_columns(made_), of.differences)});
    }
    const auto agreements = model_agreements(made_);
    if (!agreements.empty()) {
      tables.push_back({"agreement", table_of(model_agreement_columns(), agreements)});
    }
    if (!made_.sizes.empty()) tables.back().below += monotone_text() + "\n";
    return tables;
  }

  [[nodiscard]] std::string page() const {
    std::string html;
    for (const MethodComparison& of : made_.methods) html += section(of);
    html += agreement_sections() + size_section();
    return whole_page(
        {"Comparison of rankings by " + counted(made_.models.size(), "model"),
         "Entity ranking: each query (head, relation, ?) ranks all candidates; the true "
         "entity should rank first.",
         made_.remarks, settings_},
        html);
  }

 private:
  /// For example "7 of 8 series of a number by model size never fall".
  [[nodiscard]] std::string monotone_text() const {
    return std::to_string(ranges::count(made_.sizes, true, &SizeSeries::monotone)) + " of " +
           std::to_string(made_.sizes.size()) +
           " series of a number by model size never fall from a smaller model to a larger one";
  }

  /// DEER's Tables 3, 5 and 7 with Figures 8 and 10: the methods of each model compared with one
  /// another.
  [[nodiscard]] std::string agreement_sections() const {
    const auto agreements = model_agreements(made_);
    if (agreements.empty()) return "";
    std::string plots;
    for (const ModelAgreement& one : agreements) {
      plots += "<div><h3>" + label(one.model->name) + ": " + label(one.methods()) + "</h3>" +
               rank_scatter(one.model->methods, *one.agreement) + "</div>\n";
    }
    const auto columns = model_agreement_columns();
    return heading("Do the methods agree?",
                   "Each point is a query, coloured by the number of tokens in the true entity's "
                   "name. " +
                       meanings(columns)) +
           html_table(columns, agreements) + "<div class=\"plots two\">\n" + plots + "</div>\n";
  }

  /// Whether numbers grow with model size, family by family.
  [[nodiscard]] std::string size_section() const {
    if (made_.sizes.empty()) return "";
    return heading("Do the numbers grow with model size?",
                   escape_html(monotone_text()) + ". Models of one family, smallest first.") +
           html_table(size_series_columns(made_), made_.sizes);
  }

  static const RankMetrics& filtered(const RankedMethod& method) {
    return method.filtered[static_cast<std::size_t>(Ties::realistic)];
  }

  [[nodiscard]] std::string section(const MethodComparison& of) const {
    const auto columns = named_rank_columns("model", true);
    std::string html =
        heading("Models by " + of.method,
                "Mean over each model's queries; every query counts once. Ranks are among all "
                "candidates (raw); tied candidates get the mean of their ranks. " +
                    meanings(columns)) +
        html_table(columns, rows_of(made_, of)) + relation_map(of);
    if (of.differences.empty()) return html;
    const auto differences = named_rank_difference_columns(made_);
    return html +
           heading("Pairs of models by " + of.method,
                   "Over the queries that both models ranked among the same number of candidates, "
                   "with percentile bootstrap intervals over queries. " +
                       meanings(differences)) +
           html_table(differences, of.differences);
  }

  [[nodiscard]] std::string relation_map(const MethodComparison& of) const {
    std::set<std::string> relations;
    for (const RankStanding& one : of.standings) {
      for (const auto& [relation, metrics] : made_.ranked(one).by_relation)
        relations.insert(relation);
    }
    if (relations.size() < 2) return "";
    HeatMap map{"MRR by " + of.method + ", by model and relation", "Relation", {}, {}, {}};
    for (const RankStanding& one : of.standings)
      map.columns.push_back(made_.models[one.model].name);
    for (const std::string& relation : relations) {
      map.rows.push_back(relation);
      auto& row = map.values.emplace_back();
      for (const RankStanding& one : of.standings) {
        const auto found = made_.ranked(one).by_relation.find(relation);
        const bool exists = found != made_.ranked(one).by_relation.end() &&
                            found->second.mean_reciprocal_rank.exists();
        row.push_back(exists ? std::optional(found->second.mean_reciprocal_rank.value)
                             : std::nullopt);
      }
    }
    return heading("Models and relations, by " + of.method, "Mean reciprocal rank.") +
           heat_map(map);
  }

  /// One row per query and method, with every model's rank; a cell is empty if that model did not
  /// rank the query.
  [[nodiscard]] std::string ranks() const {
    std::vector<std::string> head{"method", "part",     "line", "asks",
                                  "head",   "relation", "tail", "candidates"};
    for (const RankedModel& model : made_.models) head.push_back(model.name);
    std::string text = csv_line(head);
    for (const MethodComparison& of : made_.methods) {
      std::map<QueryKey, std::pair<const EntityRank*, std::map<std::size_t, std::string>>> queries;
      for (const RankStanding& one : of.standings) {
        for (const EntityRank& rank : made_.ranked(one).ranks) {
          auto& [query, places] = queries[query_key(rank)];
          if (query == nullptr) query = &rank;
          places[one.model] = rank.undecided > 0 ? "" : with_decimals(rank.raw.realistic(), 1);
        }
      }
      for (const auto& [key, query] : queries) {
        const EntityRank& rank = *query.first;
        std::vector<std::string> line{of.method,
                                      rank.part,
                                      std::to_string(rank.line),
                                      rank.asks_head ? "head" : "tail",
                                      rank.head,
                                      rank.relation,
                                      rank.tail,
                                      std::to_string(rank.candidates)};
        for (std::size_t m = 0; m < made_.models.size(); ++m) {
          const auto place = query.second.find(m);
          line.push_back(place == query.second.end() ? "" : place->second);
        }
        text += csv_line(line);
      }
    }
    return text;
  }

  RankComparison made_;
  Json settings_;
};

PLUMB_INLINE RankComparisonReport rank_comparison_report(RankComparison made, Json settings) {
  return report_of<RankComparison>(
      std::make_shared<const RankComparisonReportBody>(std::move(made), std::move(settings)));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
