#pragma once
/// Tensors as text, for people: rows with names, at most 80 columns.
#include <string>

#include "core/tensor.h"

namespace duet::lessons {

/// What a row and a column stand for: "token" gives "token 0", "token 1"; `rows` names them one by one instead.
struct Labels {
  std::string row = "row";
  std::string column;
  std::vector<std::string> rows;
};

/// The tensor's rows under its name and shape. A long one is cut, and says so.
std::string draw(const std::string& title, const at::Tensor& tensor, const Labels& labels);

/// Expected and given side by side, an arrow at each row that differs. Both of one shape.
std::string compare(const std::string& title, const at::Tensor& expected, const at::Tensor& given,
                    const Labels& labels);

/// A number as it stands in pictures: 4 significant digits, or as many as told; yes and no for truth values.
std::string cell(const at::Tensor& value, int digits = 4);

/// Breaks text into lines of at most `width` columns at spaces; lines that begin with a space stay as they are.
std::string wrap(const std::string& text, std::size_t width = 78);

}  // namespace duet::lessons
