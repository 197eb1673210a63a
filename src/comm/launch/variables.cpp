#include "comm/launch/variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdlib>

#include "core/error.h"

namespace duet::comm {

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

std::string Variables::text(const std::string& name) const { return environment_(name).value_or(""); }

void Variables::need(const std::vector<std::string>& names) const {
  std::vector<std::string> given;
  std::vector<std::string> missing;
  for (const auto& name : names) {
    if (has(name)) {
      given.push_back(name);
    } else {
      missing.push_back(environment_(name) ? name + " (it is empty)" : name);
    }
  }
  if (missing.empty()) return;
  throw InputError(
      {.what = fmt::format("{}'s environment variables are half set: {} {} missing", launcher_,
                           fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are"),
       .where =
           given.empty() ? "" : fmt::format("{} {} there", fmt::join(given, ", "), given.size() == 1 ? "is" : "are"),
       .usually = "something between the launcher and this program dropped some (sudo, env -i, ssh, a "
                  "container), or a shell still has some from an earlier run",
       .fix =
           fmt::format("start it by {} directly; or, without a launcher, unset {}", launcher_, fmt::join(given, " "))});
}

int Variables::number(const std::string& name, int least, int most) const {
  const auto value = text(name);
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc{} && end == value.data() + value.size() && number >= least && number <= most) return number;
  throw InputError({.what = fmt::format("{}={} is no whole number from {} to {}", name, value, least, most),
                    .where = fmt::format("the environment, as {} sets it", launcher_),
                    .usually = "it was set by hand, or a script put the wrong thing into it",
                    .fix = fmt::format("let {} set it, or unset it", launcher_)});
}

int Variables::place(const std::string& name, int size, const std::string& size_name) const {
  const int number = this->number(name, 0, std::numeric_limits<int>::max());
  if (number < size) return number;
  throw InputError({.what = fmt::format("{}={}, but {}={}: ranks count from 0, so the last is {}", name, number,
                                        size_name, size, size - 1),
                    .where = fmt::format("the environment, as {} sets it", launcher_),
                    .usually = "the ranks were counted from 1, or one of the two is from another run",
                    .fix = fmt::format("let {} set both", launcher_)});
}

}  // namespace duet::comm
