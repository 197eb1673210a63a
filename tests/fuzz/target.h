#pragma once
/// What the fuzz targets share. A target is a file with libFuzzer's one function; libFuzzer calls it with made-up bytes
/// (tests/fuzz/fuzz.cmake, option DUET_FUZZ), and replay.cpp with the files of corpus/ in every build.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// Returns 0. Ends the process where the code under test broke its promise.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace duet::test {

inline void expect(bool holds, const char* otherwise) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", otherwise);
  std::abort();
}

}  // namespace duet::test
