#include "trace/json_step.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "trace/json_number.h"

namespace duet::trace {

namespace {

using nlohmann::ordered_json;

// What a name stands for; nothing for one that this program does not know. `last` is the last enumerator.
template <typename Enum>
std::optional<Enum> by_name(const ordered_json& word, Enum last) {
  const auto& text = word.get_ref<const std::string&>();
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (text == name(static_cast<Enum>(i))) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

ordered_json event_to_json(const Event& event, std::int64_t start_ns) {
  ordered_json json;
  json["phase"] = name(event.phase);
  if (event.direction == Direction::backward) json["direction"] = name(event.direction);
  if (event.layer != 0) json["layer"] = event.layer;
  json["ns"] = {event.start_ns - start_ns, event.end_ns - start_ns};
  if (event.on_device()) json["device_ns"] = {event.device_start_ns - start_ns, event.device_end_ns - start_ns};
  if (event.operation == Operation::none) return json;
  json["operation"] = name(event.operation);
  json["bytes"] = event.bytes;
  if (event.modelled) json["modelled"] = true;
  if (!event.rows_to.empty()) json["rows_to"] = event.rows_to;
  json["group"] = event.group;
  json["sequence"] = json_number(event.sequence);
  return json;
}

std::optional<Event> event_from_json(const ordered_json& json) {
  const auto phase = by_name(json.at("phase"), Phase::optimizer);
  const auto direction = by_name(json.value("direction", ordered_json("forward")), Direction::backward);
  const auto operation = by_name(json.value("operation", ordered_json("none")), Operation::barrier);
  if (!phase || !direction || !operation) return std::nullopt;
  Event event;
  event.phase = *phase;
  event.direction = *direction;
  event.operation = *operation;
  event.layer = json.contains("layer") ? to_int(json["layer"]) : 0;
  event.start_ns = to_integer(json.at("ns").at(0));
  event.end_ns = to_integer(json.at("ns").at(1));
  if (json.contains("device_ns")) {
    event.device_start_ns = to_integer(json["device_ns"].at(0));
    event.device_end_ns = to_integer(json["device_ns"].at(1));
  }
  if (event.operation == Operation::none) return event;
  event.bytes = to_integer(json.at("bytes"));
  event.modelled = json.value("modelled", false);
  if (json.contains("rows_to")) event.rows_to = to_integers(json["rows_to"]);
  const auto group = to_unsigned(json.at("group"));
  if (!std::in_range<std::uint32_t>(group)) throw std::invalid_argument("\"group\" is 2^32 or more");
  event.group = static_cast<std::uint32_t>(group);
  event.sequence = to_unsigned(json.at("sequence"));
  return event;
}

template <typename Numbers>
ordered_json numbers_to_json(const Numbers& values) {
  auto json = ordered_json::array();
  for (const auto value : values) json.push_back(json_number(value));
  return json;
}

std::vector<float> floats_from_json(const ordered_json& json) {
  std::vector<float> values;
  for (const auto& value : json) values.push_back(static_cast<float>(to_double(value)));
  return values;
}

ordered_json token_to_json(const TokenRoute& token) {
  auto reasons = ordered_json::array();
  for (const auto reason : token.reason) reasons.push_back(name(reason));
  return {{"token", token.token},
          {"logits", numbers_to_json(token.logits)},
          {"expert", token.expert},
          {"gate", numbers_to_json(token.gate)},
          {"reason", reasons}};
}

std::optional<TokenRoute> token_from_json(const ordered_json& json) {
  TokenRoute token;
  token.token = to_integer(json.at("token"));
  token.logits = floats_from_json(json.at("logits"));
  token.expert = to_ints(json.at("expert"));
  token.gate = floats_from_json(json.at("gate"));
  for (const auto& word : json.at("reason")) {
    const auto reason = by_name(word, DropReason::random);
    if (!reason) return std::nullopt;
    token.reason.push_back(*reason);
  }
  return token;
}

ordered_json layer_to_json(const LayerStep& layer) {
  ordered_json json;
  json["tokens_per_expert"] = layer.tokens_per_expert;
  json["dropped_per_expert"][name(layer.drop_reason)] = layer.dropped_per_expert;
  json["token_count"] = layer.token_count;
  json["entropy_sum"] = json_number(layer.entropy_sum);
  json["first_expert"] = layer.first_expert;
  json["expert_grad_norm"] = numbers_to_json(layer.expert_grad_norm);
  for (const auto& token : layer.tokens) json["tokens"].push_back(token_to_json(token));
  return json;
}

ordered_json rank_to_json(const RankStep& rank, std::int64_t start_ns) {
  ordered_json json;
  json["rank"] = rank.rank;
  json["layers"] = ordered_json::array();
  for (const auto& layer : rank.layers) json["layers"].push_back(layer_to_json(layer));
  json["events"] = ordered_json::array();
  for (const auto& event : rank.events) json["events"].push_back(event_to_json(event, start_ns));
  return json;
}

ordered_json aux_to_json(const std::vector<AuxValue>& terms) {
  auto json = ordered_json::array();
  for (const auto& term : terms) {
    json.push_back({{"kind", term.kind}, {"value", json_number(term.value)}, {"weight", json_number(term.weight)}});
  }
  return json;
}

// Appends what `from` makes of each element of a list.
template <typename Value, typename From>
void read_list(const ordered_json& list, UnknownWords unknown, From from, std::vector<Value>& values) {
  if (!list.is_array()) throw std::invalid_argument(fmt::format("{} stands where a list should", list.type_name()));
  values.reserve(list.size());
  for (const auto& element : list) {
    if (auto value = from(element)) {
      values.push_back(std::move(*value));
    } else if (unknown == UnknownWords::refuse) {
      throw std::invalid_argument("a phase, direction, operation or reason that the schema does not have");
    }
  }
}

// The dropped pairs stand under the reason for which they were.
void read_drops(const ordered_json& drops, LayerStep& layer) {
  for (const auto& [word, counts] : drops.items()) {
    const auto reason = by_name(ordered_json(word), DropReason::random);
    if (!reason) continue;
    layer.drop_reason = *reason;
    layer.dropped_per_expert = to_integers(counts);
  }
}

LayerStep layer_from_json(const ordered_json& json, UnknownWords unknown) {
  LayerStep layer;
  layer.tokens_per_expert = to_integers(json.at("tokens_per_expert"));
  read_drops(json.at("dropped_per_expert"), layer);
  layer.token_count = to_integer(json.at("token_count"));
  layer.entropy_sum = to_double(json.at("entropy_sum"));
  layer.first_expert = to_integer(json.at("first_expert"));
  for (const auto& norm : json.at("expert_grad_norm")) layer.expert_grad_norm.push_back(to_double(norm));
  if (json.contains("tokens")) read_list(json["tokens"], unknown, token_from_json, layer.tokens);
  return layer;
}

RankStep rank_from_json(const ordered_json& json, UnknownWords unknown) {
  RankStep rank;
  rank.rank = to_int(json.at("rank"));
  const auto layer = [unknown](const ordered_json& one) { return std::optional(layer_from_json(one, unknown)); };
  read_list(json.at("layers"), unknown, layer, rank.layers);
  read_list(json.at("events"), unknown, event_from_json, rank.events);
  return rank;
}

}  // namespace

bool too_deep(std::string_view text) {
  constexpr int deepest = 100;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size() && depth <= deepest; ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
  }
  return depth > deepest;
}

ordered_json step_to_json(const StepRecord& step, std::int64_t start_ns) {
  ordered_json json;
  json["step"] = step.step;
  json["mode"] = step.mode;
  json["loss"] = json_number(step.loss);
  json["aux"] = aux_to_json(step.aux);
  json["grad_norm"] = json_number(step.grad_norm);
  json["capacity"] = step.capacity < 0 ? ordered_json(nullptr) : ordered_json(step.capacity);
  json["step_ns"] = step.step_ns;
  if (!step.waits_told) json["waits_told"] = false;
  json["ranks"] = ordered_json::array();
  for (const auto& rank : step.ranks) json["ranks"].push_back(rank_to_json(rank, start_ns));
  return json;
}

StepRecord step_from_json(const ordered_json& line, UnknownWords unknown) {
  StepRecord step;
  step.step = to_integer(line.at("step"));
  step.mode = line.at("mode").get<std::string>();
  step.loss = to_double(line.at("loss"));
  for (const auto& term : line.at("aux")) {
    step.aux.push_back({.kind = term.at("kind").get<std::string>(),
                        .value = to_double(term.at("value")),
                        .weight = to_double(term.at("weight"))});
  }
  step.grad_norm = to_double(line.at("grad_norm"));
  step.capacity = line.at("capacity").is_null() ? -1 : to_integer(line["capacity"]);
  step.step_ns = to_integer(line.at("step_ns"));
  step.waits_told = line.value("waits_told", true);
  const auto& ranks = line.at("ranks");
  if (!ranks.is_array()) throw std::invalid_argument("\"ranks\" is not a list");
  for (const auto& rank : ranks) step.ranks.push_back(rank_from_json(rank, unknown));
  return step;
}

}  // namespace duet::trace
