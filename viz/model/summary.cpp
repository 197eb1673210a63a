#include "viz/model/summary.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

#include "trace/balance.h"

namespace duet::viz {

std::string_view after(std::string_view text, std::string_view key) {
  // memmem, for std::string_view::find stops at every quote: a long trace opens in half the time.
  const auto* const at = static_cast<const char*>(::memmem(text.data(), text.size(), key.data(), key.size()));
  return at == nullptr ? std::string_view{} : text.substr(static_cast<std::size_t>(at - text.data()) + key.size());
}

namespace {

double number(std::string_view text, double otherwise = 0) {
  std::from_chars(text.data(), text.data() + text.size(), otherwise);
  return otherwise;
}

// Adds the list of whole numbers that `text` begins with, "31,33]", to `sums`.
void add_list(std::string_view text, std::vector<std::int64_t>& sums) {
  for (std::size_t i = 0; !text.empty() && text.front() != ']'; ++i) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return;
    if (sums.size() <= i) sums.resize(i + 1);
    sums[i] += value;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && text.front() == ',') text.remove_prefix(1);
  }
}

// The first layer of each rank: the writer puts layers before events, and a layer's counts before its tokens.
void add_ranks(std::string_view ranks, StepSummary& summary) {
  constexpr std::string_view layers = "\"layers\":[", tokens = "\"tokens_per_expert\":[";
  while (!(ranks = after(ranks, layers)).empty()) {
    const auto counts = after(ranks, tokens);
    add_list(counts, summary.tokens_per_expert);
    const auto dropped = after(counts.substr(0, 4096), "\"dropped_per_expert\":{");
    if (const auto list = after(dropped.substr(0, 64), "["); !list.empty()) {
      add_list(dropped.substr(static_cast<std::size_t>(list.data() - dropped.data())), summary.dropped_per_expert);
    }
  }
}

double weighted_aux(std::string_view list) {
  double sum = 0;
  for (auto one = after(list, "\"value\":"); !one.empty(); one = after(one, "\"value\":")) {
    sum += number(one) * number(after(one.substr(0, 200), "\"weight\":"));
  }
  return sum;
}

}  // namespace

double StepSummary::std() const { return trace::standard_deviation(tokens_per_expert); }

double StepSummary::dropped() const {
  const auto sum = [](const auto& list) { return std::accumulate(list.begin(), list.end(), std::int64_t{0}); };
  const auto pairs = sum(tokens_per_expert);
  return pairs == 0 ? 0 : static_cast<double>(sum(dropped_per_expert)) / static_cast<double>(pairs);
}

StepSummary summarize(std::string_view line) {
  const auto ranks = line.find("\"ranks\":");
  const auto head = line.substr(0, ranks);
  StepSummary summary;
  summary.loss = number(after(head, "\"loss\":"));
  const auto aux = after(head, "\"aux\":[");
  summary.aux = weighted_aux(aux.substr(0, aux.find(']')));
  summary.grad_norm = number(after(head, "\"grad_norm\":"));
  summary.step_us = number(after(head, "\"step_ns\":")) / 1e3;
  summary.capacity = static_cast<std::int64_t>(number(after(head, "\"capacity\":"), -1));
  if (ranks != std::string_view::npos) add_ranks(line.substr(ranks), summary);
  return summary;
}

}  // namespace duet::viz
