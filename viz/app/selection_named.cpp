#include "viz/app/selection_named.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/error.h"
#include "viz/model/flows.h"
#include "viz/model/token_path.h"

namespace duet::viz {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& fix) {
  throw InputError({.what = what, .where = {}, .usually = {}, .fix = fix});
}

// Numbers from 0 up to, not including, `count`.
void check(const std::string& name, const char* kind, long long number, std::int64_t count) {
  if (number >= 0 && number < count) return;
  refuse(fmt::format("--select is '{}', and the step has {} {}s", name, count, kind),
         fmt::format("choose {}:0 to {}:{}", kind, kind, count - 1));
}

void check_token(const std::string& name, const trace::StepRecord& step, const Frame& frame, Hit hit) {
  check(name, "rank", hit.a, std::ssize(step.ranks));
  const auto* const own = layer_of(step, static_cast<std::size_t>(hit.a), frame.layer);
  if (own == nullptr || own->token_count == 0) return;
  if (own->tokens.empty()) {
    refuse(fmt::format("--select is '{}', and the step was recorded without single tokens", name),
           "record them with --record-tokens on, or select a rank or an expert");
  }
  const auto path = path_of(step, frame.layer, hit.a, hit.b);
  if (path && path->rank == hit.a) return;
  refuse(fmt::format("--select is '{}', and rank {} has no token {}", name, hit.a, hit.b),
         path ? fmt::format("write token:{}:{}, which is the rank that has it", path->rank, hit.b)
              : fmt::format("rank {} has the tokens {} to {}", hit.a, own->tokens.front().token,
                            own->tokens.back().token));
}

}  // namespace

Hit selection_named(const std::string& name, const Frame& frame) {
  long long first = 0, second = 0;
  char rest = 0;
  const auto* const step = frame.modes.empty() ? nullptr : frame.modes[frame.shown].step;
  const bool there = step != nullptr && !step->ranks.empty();  // else nobody knows yet what there will be
  if (std::sscanf(name.c_str(), "rank:%lld%c", &first, &rest) == 1) {
    if (there) check(name, "rank", first, std::ssize(step->ranks));
    return {Thing::rank, first, 0};
  }
  if (std::sscanf(name.c_str(), "token:%lld:%lld%c", &first, &second, &rest) == 2) {
    const Hit hit{Thing::token, first, second};
    if (there && frame.tokens != nullptr) check_token(name, *frame.tokens, frame, hit);
    return hit;
  }
  if (std::sscanf(name.c_str(), "expert:%lld%c", &first, &rest) == 1) {
    const auto* const layer = there ? layer_of(*step, 0, frame.layer) : nullptr;
    if (layer == nullptr) return {Thing::expert, 0, first};
    check(name, "expert", first, std::ssize(layer->tokens_per_expert));
    return {Thing::expert, owner_of(*step, frame.layer, 0, first), first};
  }
  refuse("--select is '" + name + "'", "write it as rank:1, expert:3 or token:0:17 (token 17 of rank 0)");
}

}  // namespace duet::viz
