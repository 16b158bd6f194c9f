// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/vector_cache.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::slurp;

BOOST_AUTO_TEST_SUITE(vector_cache)

namespace {

using Texts = std::vector<std::string>;

const Json model = {{"model_sha256", "12"}, {"bos", "no"}};
const Texts texts{"a", "bc"};

struct Kept {
  Kept() {
    vectors << 1, 2, 3, 4, 5, 6.5F;
    cache.keep(texts, rows());
  }
  [[nodiscard]] VectorRows rows() const { return {vectors.data(), 2, 3}; }
  /// The only file with this extension.
  [[nodiscard]] std::filesystem::path file(const std::string& ending) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder / "vectors")) {
      if (entry.path().extension() == ending) return entry.path();
    }
    return {};
  }

  test::TemporaryFolder folder;
  EmbeddingMatrix vectors{2, 3};
  VectorCache cache{folder / "vectors", model};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(what_was_kept_is_found_bit_by_bit, Kept) {
  const auto found = VectorCache(folder / "vectors", model).find(texts);
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST(found->rows().rows() == 2);
  BOOST_TEST((found->rows() == rows()));
}

BOOST_FIXTURE_TEST_CASE(other_texts_and_other_models_are_not_found, Kept) {
  BOOST_TEST(!cache.find({"a"}).has_value());
  BOOST_TEST(!cache.find({"bc", "a"}).has_value());
  BOOST_TEST(!cache.find({"ab", "c"}).has_value());
  BOOST_TEST(!VectorCache(folder / "vectors", {{"model_sha256", "13"}, {"bos", "no"}})
                  .find(texts)
                  .has_value());
  BOOST_TEST(!VectorCache(folder / "nowhere", model).find(texts).has_value());
}

BOOST_FIXTURE_TEST_CASE(what_is_damaged_is_not_found_and_can_be_kept_again, Kept) {
  for (const char* ending : {".npy", ".json"}) {
    const auto path = file(ending);
    const std::string whole = slurp(path);
    std::string flipped = whole;
    flipped[flipped.size() - 4] = static_cast<char>(flipped[flipped.size() - 4] ^ 1);
    for (const std::string& damaged : {flipped, whole.substr(0, whole.size() / 2), std::string()}) {
      folder.write("vectors/" + path.filename().string(), damaged);
      BOOST_TEST(!cache.find(texts).has_value());
    }
    cache.keep(texts, rows());
    BOOST_TEST(cache.find(texts).has_value());
    BOOST_TEST(slurp(path) == whole);
  }
}

BOOST_FIXTURE_TEST_CASE(vectors_are_written_as_a_ranking_leaves_them, Kept) {
  const DiskPath path = folder / "entities.npy";
  write_vectors(path, {"Q1", "Q2"}, rows());
  BOOST_TEST((NpyFile(folder / "entities.npy").rows() == rows()));
  BOOST_TEST((read_identifiers(path, 2) == Texts{"Q1", "Q2"}));
}

BOOST_AUTO_TEST_SUITE_END()
