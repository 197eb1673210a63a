// The communication tests in an MPI job: every process runs all of them. Process 0 reports, and a failure in any
// process is one of the test there.
#include <cstdio>
#include <string_view>

#include "tests/comm/mpi/job.h"

namespace duet::comm {
namespace {

std::string failures_of(const testing::TestResult& result) {
  std::string text;
  for (int i = 0; i < result.total_part_count(); ++i) {
    const auto& part = result.GetTestPartResult(i);
    if (!part.failed()) continue;
    const auto* const file = part.file_name() == nullptr ? "" : part.file_name();
    text += std::string(file) + ":" + std::to_string(part.line_number()) + "\n" + part.message() + "\n";
  }
  return text;
}

/// After each test, brings the other processes' failures to process 0. Also keeps them at the same test.
class SharesFailures : public testing::EmptyTestEventListener {
 public:
  explicit SharesFailures(const Job& job) : job_(job) {}
  void OnTestEnd(const testing::TestInfo& test) override {
    const auto texts = job_.gather(failures_of(*test.result()));
    for (std::size_t rank = 1; job_.rank() == 0 && rank < texts.size(); ++rank) {
      if (!texts[rank].empty()) ADD_FAILURE() << "in process " << rank << ": " << texts[rank];
    }
  }

 private:
  const Job job_;
};

int run_tests(int argc, char** argv) {
  const Job job(MPI_COMM_WORLD);
  std::vector<char*> arguments;
  for (int i = 0; i < argc; ++i) {  // one report, by process 0
    if (job.rank() == 0 || !std::string_view(argv[i]).starts_with("--gtest_output")) arguments.push_back(argv[i]);
  }
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);  // as of any argv
  chosen_transports() = job.transports();
  testing::InitGoogleMock(&count, arguments.data());
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (job.rank() != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new SharesFailures(job));
  int mine = RUN_ALL_TESTS();
  int worst = mine;
  MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

}  // namespace
}  // namespace duet::comm

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int status = duet::comm::run_tests(argc, argv);
  MPI_Finalize();
  return status;
}
