#pragma once
/// What the fuzz targets share. A target is a file that defines `takes`; libFuzzer calls it with made-up bytes
/// (libfuzzer.cpp, option DUET_FUZZ), and replay.cpp with the files of corpus/ in every build.
#include <cstdio>
#include <cstdlib>
#include <string>

namespace duet::test {

/// Gives the bytes to the code under test, and ends the process where it breaks its promise.
/// @return whether it took them; false when it refused them as it should, with an InputError
bool takes(const std::string& bytes);

inline void expect(bool holds, const char* otherwise) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", otherwise);
  std::abort();
}

}  // namespace duet::test
