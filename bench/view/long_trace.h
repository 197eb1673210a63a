#pragma once
/// Long traces in a folder of their own, which is removed at the end.
#include <filesystem>
#include <string>

#include "tests/viz/made_trace.h"

namespace duet::bench {

class TraceFolder {
 public:
  TraceFolder();
  ~TraceFolder();
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  /// A trace of at least `bytes` bytes: a few made steps of "ep" and "dp" again and again, numbered anew.
  std::filesystem::path write(const viz::test::MadeRun& run, std::size_t bytes);

 private:
  std::filesystem::path folder_;
  int files_ = 0;
};

}  // namespace duet::bench
