#include "trial.h"

#include <ATen/ops/allclose.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace duet::lessons {

bool nearly_equal(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes()) return false;
  const double tolerance = a.scalar_type() == at::kFloat || b.scalar_type() == at::kFloat ? 1e-4 : 1e-9;
  return at::allclose(a.to(at::kDouble), b.to(at::kDouble), tolerance, tolerance);
}

namespace {

// Equal but for what a float cannot hold of a double.
bool almost_equal(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == at::kDouble && at::allclose(a, b.to(at::kDouble), 1e-5, 1e-6);
}

std::string about_type(const at::Tensor& got, const at::Tensor& expected) {
  if (at::isFloatingType(got.scalar_type()) && expected.scalar_type() == at::kLong) {
    return " Dividing whole numbers with / gives fractions: x.div(k, \"floor\") stays whole, or .to(at::kLong).";
  }
  return "";
}

}  // namespace

void Trial::show(const std::string& title, const at::Tensor& tensor, const Labels& labels) {
  picture_ += draw(title, tensor, labels) + "\n";
}

Reply Trial::ask(const Request& request) {
  auto reply = student_.ask(request);
  if (!reply.error.empty()) throw Threw{std::move(reply)};
  if (!reply.changed_input.empty()) {
    throw Failure{
        fmt::format("Your code changed the {} that it was given. Others still need them: autograd, the next "
                    "phase, a test. Write results to new tensors (add, not add_).",
                    reply.changed_input)};
  }
  if (reply.outputs.size() != request.inputs.size()) throw Died{.death = Death::forged};
  return reply;
}

Values Trial::run(const Values& in, const std::string& call) {
  return ask({.call = call, .alone = true, .inputs = {in}}).outputs.front();
}

std::vector<RankResult> Trial::run_on_ranks(const std::vector<Values>& in, const std::string& call) {
  auto reply = ask({.call = call, .alone = false, .inputs = in});
  if (reply.traffic.size() != in.size()) throw Died{.death = Death::forged};
  std::vector<RankResult> results;
  for (std::size_t rank = 0; rank < in.size(); ++rank) {
    results.push_back({std::move(reply.outputs[rank]), reply.traffic[rank]});
  }
  return results;
}

void Trial::expect(const Values& out, const std::string& name, const at::Tensor& expected, const std::string& hint,
                   const std::vector<Suspect>& suspects, const Labels& labels) {
  const auto found = out.find(name);
  if (found == out.end()) throw Died{.death = Death::forged};
  const auto& got = found->second;
  if (nearly_equal(got, expected) && got.scalar_type() == expected.scalar_type()) return;
  const bool same_shape = got.sizes() == expected.sizes();
  if (same_shape) {
    picture_ += compare(name, expected, got, labels) + "\n";
  } else {
    picture_ += draw(name + ", expected", expected, labels) + draw(name + ", yours", got, labels) + "\n";
  }
  const bool same_type = got.scalar_type() == expected.scalar_type();
  if (same_shape && !same_type) {
    throw Failure{fmt::format("{} has the type {} and should have {}.{}", name, c10::toString(got.scalar_type()),
                              c10::toString(expected.scalar_type()), about_type(got, expected))};
  }
  for (const auto& suspect : suspects) {
    if (nearly_equal(got, suspect.value)) throw Failure{suspect.says};
  }
  if (!same_shape) {
    throw Failure{fmt::format("{} has the shape [{}] and should have [{}]. {}", name, fmt::join(got.sizes(), ", "),
                              fmt::join(expected.sizes(), ", "), hint)};
  }
  if (almost_equal(got, expected)) {
    throw Failure{
        "The numbers agree to about seven digits and no further: somewhere they went through a float, as "
        "item<float>() or a float constant does. Stay with tensor operations, or with double. " +
        hint};
  }
  throw Failure{hint};
}

void Trial::expect_input_error(const Values& in, const std::string& text) {
  const auto reply = student_.ask({.call = "", .alone = true, .inputs = {in}});
  if (reply.bad_input) return;
  if (reply.error.empty()) throw Failure{text};
  if (reply.error.find("not written yet") != std::string::npos) throw Threw{reply};
  throw Failure{text + " Yours stopped with another error: " + reply.error.substr(0, 300)};
}

void Trial::require(bool holds, const std::string& text) {
  if (!holds) throw Failure{text};
}

}  // namespace duet::lessons
