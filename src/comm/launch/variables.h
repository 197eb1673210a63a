#pragma once
/// Reads what a launcher left in the environment; a wrong value is told with the variable's name.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace duet::comm {

/// The value of an environment variable, or none where it is not set. Tests give one that reads a map.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The process's own.
Environment process_environment();

/// One launcher's variables. An empty one counts as not set: no launcher sets it so, and shell scripts unset it so.
class Variables {
 public:
  /// @param launcher as messages call it: "torchrun"
  Variables(const Environment& environment, std::string launcher)
      : environment_(environment), launcher_(std::move(launcher)) {}

  bool has(const std::string& name) const { return !text(name).empty(); }
  /// Empty where it is not set.
  std::string text(const std::string& name) const;

  /// @throws InputError that names every one of `names` that is missing, where not all are set
  void need(const std::vector<std::string>& names) const;

  /// @throws InputError unless it is a whole number in [least, most]
  int number(const std::string& name, int least, int most) const;

  /// A place among `size` places: a rank. `size_name` is the variable that gives the size.
  int place(const std::string& name, int size, const std::string& size_name) const;

  /// "torchrun", for messages.
  const std::string& launcher() const { return launcher_; }

 private:
  Environment environment_;
  std::string launcher_;
};

}  // namespace duet::comm
