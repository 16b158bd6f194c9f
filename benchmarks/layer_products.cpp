// SPDX-License-Identifier: Apache-2.0

// Which matrix product is fastest for the layers of a network: plumb's packed one, Eigen's or
// OpenBLAS's?
//
//   layer_products [rounds]
// Computes out = rows · weightsᵀ + bias for the shapes of BERT-base and OPT-125M with each of the
// three in turn, on one thread. The times are CPU seconds, so that other work on the machine has
// little effect. Eigen and OpenBLAS receive the weights in the layout that is fastest for each.
// Prints the speed in 10⁹ multiplications and additions per second.

#include <cblas.h>
#include <time.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "plumb/detail/huggingface/packed_matrix.hpp"

namespace {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double cpu_seconds(const auto& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const char* name, Eigen::Index count, Eigen::Index inputs, Eigen::Index outputs,
             int rounds) {
  const Rows rows = Rows::Random(count, inputs), weights = Rows::Random(outputs, inputs);
  const Eigen::RowVectorXf bias = Eigen::RowVectorXf::Random(outputs);
  const auto n = [](Eigen::Index i) { return static_cast<std::size_t>(i); };
  const auto blas = [](Eigen::Index i) { return static_cast<blasint>(i); };
  plumb::detail::PackedMatrix packed(n(outputs), n(inputs));
  for (std::size_t o = 0; o < n(outputs); ++o) {
    packed.set_output(o, {weights.data() + o * n(inputs), n(inputs)});
  }
  packed.set_bias(0, {bias.data(), n(outputs)});
  const Eigen::MatrixXf columns = weights.transpose();  // [inputs, outputs], column-major
  Rows ours(count, outputs), eigen(count, outputs), open(count, outputs);
  std::vector<double> seconds[3];
  for (int round = -1; round < rounds; ++round) {  // the first is a warm-up
    const double of_each[] = {
        cpu_seconds(
            [&] { packed.multiply(rows.data(), n(count), n(inputs), ours.data(), n(outputs)); }),
        cpu_seconds([&] {
          eigen.noalias() = rows * columns;
          eigen.rowwise() += bias;
        }),
        cpu_seconds([&] {
          for (Eigen::Index r = 0; r < count; ++r) open.row(r) = bias;
          cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, blas(count), blas(outputs),
                      blas(inputs), 1, rows.data(), blas(inputs), weights.data(), blas(inputs), 1,
                      open.data(), blas(outputs));
        })};
    for (int i = 0; i < 3 && round >= 0; ++i) seconds[i].push_back(of_each[i]);
  }
  const float most = ours.cwiseAbs().maxCoeff();
  const float away =
      std::max((eigen - ours).cwiseAbs().maxCoeff(), (open - ours).cwiseAbs().maxCoeff()) / most;
  const double work = 2e-9 * static_cast<double>(count * inputs) * static_cast<double>(outputs);
  std::printf(
      "%-14s %4td x %4td x %5td  packed %6.1f  Eigen %6.1f  OpenBLAS %6.1f  (differ by %.0e)\n",
      name, count, inputs, outputs, work / middle(seconds[0]), work / middle(seconds[1]),
      work / middle(seconds[2]), static_cast<double>(away));
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  // Times are those of this thread, so no product may use others.
  openblas_set_num_threads(1);
  Eigen::setNbThreads(1);
  std::printf("10^9 operations a CPU second, one thread, median of %d rounds, vectors of %zu\n",
              rounds, plumb::detail::network_kernels().lanes);
  for (const Eigen::Index count : {24, 192}) {
    compare("projections", count, 768, 2304, rounds);
    compare("attention", count, 768, 768, rounds);
    compare("up", count, 768, 3072, rounds);
    compare("down", count, 3072, 768, rounds);
  }
  compare("BERT's decoder", 48, 768, 28996, rounds);
  compare("OPT's decoder", 48, 768, 50272, rounds);
  return 0;
}
