#include "bench/view/long_trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <vector>

namespace duet::bench {

namespace fs = std::filesystem;

TraceFolder::TraceFolder() : folder_(fs::temp_directory_path() / fmt::format("duet_bench_view_{}", ::getpid())) {
  fs::create_directories(folder_);
}

TraceFolder::~TraceFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

fs::path TraceFolder::write(const viz::test::MadeRun& run, std::size_t bytes) {
  constexpr std::int64_t different = 8;
  const auto lines = lines_of(viz::test::made_trace(run, {"ep", "dp"}, different));
  auto path = folder_ / fmt::format("{}.jsonl", ++files_);
  std::ofstream out(path, std::ios::binary);
  out << lines.front() << '\n';
  std::size_t written = 0;
  for (std::int64_t step = 0; written < bytes; ++step) {
    for (std::size_t mode = 0; mode < 2; ++mode) {
      const auto& line = lines[1 + static_cast<std::size_t>(step % different) * 2 + mode];
      const auto numbered = fmt::format("{{\"step\":{}", step);
      out << numbered << std::string_view(line).substr(line.find(',')) << '\n';
      written += line.size() + 1;
    }
  }
  out << lines.back() << '\n';
  if (!out.flush()) throw std::runtime_error(fmt::format("{} cannot be written: is the disk full?", path.string()));
  return path;
}

}  // namespace duet::bench
