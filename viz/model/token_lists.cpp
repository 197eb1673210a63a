#include "viz/model/token_lists.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "viz/model/summary.h"

namespace duet::viz {

namespace {

using trace::DropReason;

// How long the list is that `text` begins with, both brackets counted; 0 when it does not end.
std::size_t list_size(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) {
      if (c == '\\') ++i;
    } else if (c == '[') {
      ++depth;
    } else if (c == ']' && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

// Takes the list apart from left to right; false as soon as something else stands there.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool tokens(std::vector<trace::TokenRoute>& all) {
    if (take("[]")) return text_.empty();
    if (!take("[")) return false;
    do {
      if (!token(all.emplace_back())) return false;
    } while (take(","));
    return take("]") && text_.empty();
  }

 private:
  bool take(std::string_view expected) {
    if (!text_.starts_with(expected)) return false;
    text_.remove_prefix(expected.size());
    return true;
  }

  bool token(trace::TokenRoute& one) {
    return take("{\"token\":") && value(one.token) && take(",\"logits\":[") && list(one.logits) &&
           take(",\"expert\":[") && list(one.expert) && take(",\"gate\":[") && list(one.gate) &&
           take(",\"reason\":[") && list(one.reason) && take("}");
  }

  template <typename Value>
  bool list(std::vector<Value>& values) {
    if (take("]")) return true;
    do {
      if (!value(values.emplace_back())) return false;
    } while (take(","));
    return take("]");
  }

  template <typename Number>
  bool value(Number& number) {
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc{}) return false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return true;
  }

  bool value(DropReason& reason) {
    constexpr std::array all{DropReason::kept, DropReason::over_capacity, DropReason::low_probability,
                             DropReason::random};
    if (!take("\"")) return false;
    const auto word = text_.substr(0, text_.find('"'));
    for (const auto one : all) {
      if (word != name(one)) continue;
      reason = one;
      text_.remove_prefix(word.size());
      return take("\"");
    }
    return false;
  }

  std::string_view text_;
};

}  // namespace

CutLine cut_tokens(std::string_view line) {
  constexpr std::string_view key = "\"tokens\":";
  CutLine cut;
  for (auto list = after(line, key); !list.empty(); list = after(line, key)) {
    const auto size = list.front() == '[' ? list_size(list) : 0;
    if (size == 0) break;  // no list: the general reader says what is wrong with it
    cut.rest += line.substr(0, line.size() - list.size());
    cut.rest += fmt::format(R"([{{"token":{},"logits":[],"expert":[],"gate":[],"reason":[]}}])", cut.lists.size());
    cut.lists.push_back(list.substr(0, size));
    line = list.substr(size);
  }
  cut.rest += line;
  return cut;
}

std::optional<std::vector<trace::TokenRoute>> read_tokens(std::string_view list) {
  std::vector<trace::TokenRoute> tokens;
  if (!Reader(list).tokens(tokens)) return std::nullopt;
  return tokens;
}

}  // namespace duet::viz
