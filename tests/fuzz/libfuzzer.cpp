/// libFuzzer's entry. Refused bytes go into its collection too: what they reached is worth going on from.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  duet::test::takes(std::string(data, data + size));
  return 0;
}
