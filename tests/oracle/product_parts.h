#pragma once
/// What each rank of a run gives, put together; where ranks are processes, by way of bytes.
#include "tests/oracle/product.h"

namespace duet::test {

/// Each rank fills its own places of a run whose vectors have their full size, and leaves zeros in all others.
/// @param parts [ranks]
ProductRun merged(const std::vector<ProductRun>& parts);

/// A rank's part for the way between processes; every number arrives bit for bit.
std::string to_bytes(const ProductRun& part);
ProductRun part_from(const std::string& bytes);

}  // namespace duet::test
