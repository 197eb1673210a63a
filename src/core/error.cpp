#include "core/error.h"

#include <fmt/format.h>

namespace duet {

std::string format_error(const ErrorText& text) {
  std::string message = text.what;
  if (!text.where.empty()) message += fmt::format("\n  where   {}", text.where);
  if (!text.usually.empty()) message += fmt::format("\n  usually {}", text.usually);
  if (!text.fix.empty()) message += fmt::format("\n  fix     {}", text.fix);
  return message;
}

Error::Error(ExitCode code, ErrorText text)
    : std::runtime_error(format_error(text)), code_(code), text_(std::move(text)) {}

}  // namespace duet
