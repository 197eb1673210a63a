#include "wire.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace duet::lessons {

namespace {

using nlohmann::json;

constexpr std::array types{at::kByte, at::kBool, at::kInt, at::kLong, at::kFloat, at::kDouble};

json to_json(const std::string& name, const at::Tensor& given) {
  if (!given.defined()) throw InputError(fmt::format("`{}` is an undefined tensor: nothing was assigned to it", name));
  const auto type = std::find(types.begin(), types.end(), given.scalar_type());
  if (type == types.end()) {
    throw InputError(
        fmt::format("`{}` has the type {}, which no lesson uses", name, c10::toString(given.scalar_type())));
  }
  const auto tensor = given.detach().cpu().contiguous();
  const auto* const data = static_cast<const std::uint8_t*>(tensor.const_data_ptr());
  return {{"type", type - types.begin()},
          {"shape", tensor.sizes().vec()},
          {"data", json::binary({data, data + tensor.nbytes()})}};
}

at::Tensor to_tensor(const json& value) {
  const auto shape = value.at("shape").get<std::vector<std::int64_t>>();
  const auto& data = value.at("data").get_binary();
  std::int64_t bytes = static_cast<std::int64_t>(c10::elementSize(types.at(value.at("type").get<std::size_t>())));
  for (const auto size : shape) {
    if (size < 0 || size > largest_message || bytes > largest_message) throw InputError("a tensor of an absurd shape");
    bytes *= size;
  }
  if (bytes != std::ssize(data)) throw InputError("a tensor whose shape and data disagree");
  auto tensor = at::empty(shape, types.at(value.at("type").get<std::size_t>()));
  if (bytes > 0) std::copy(data.begin(), data.end(), static_cast<std::uint8_t*>(tensor.data_ptr()));
  return tensor;
}

json to_json(const std::vector<Values>& ranks) {
  auto all = json::array();
  for (const auto& values : ranks) {
    auto one = json::object();
    for (const auto& [name, tensor] : values) one[name] = to_json(name, tensor);
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<Values> to_values(const json& all) {
  std::vector<Values> ranks;
  for (const auto& one : all) {
    auto& values = ranks.emplace_back();
    for (const auto& [name, tensor] : one.items()) values[name] = to_tensor(tensor);
  }
  return ranks;
}

std::string to_bytes(const json& message) {
  std::string bytes;
  json::to_cbor(message, bytes);
  return bytes;
}

json parse(const std::string& bytes) {
  auto message = json::from_cbor(bytes, /*strict=*/true, /*allow_exceptions=*/false);
  if (message.is_discarded() || !message.is_object()) throw InputError("bytes that are no message");
  return message;
}

template <typename Read>
auto checked(const Read& read) {
  try {
    return read();
  } catch (const json::exception& error) {
    throw InputError(fmt::format("a message that lacks a part: {}", error.what()));
  } catch (const std::out_of_range&) {
    throw InputError("a tensor of an unknown type");
  }
}

}  // namespace

std::string encode(const Request& request) {
  return to_bytes({{"call", request.call}, {"alone", request.alone}, {"ranks", to_json(request.inputs)}});
}

std::string encode(const Reply& reply) {
  auto traffic = json::array();
  for (const auto& t : reply.traffic) traffic.push_back({t.sends, t.receives, t.bytes_sent, t.other_operations});
  return to_bytes({{"ranks", to_json(reply.outputs)},
                   {"traffic", traffic},
                   {"error", reply.error},
                   {"details", reply.details},
                   {"changed", reply.changed_input},
                   {"input", reply.bad_input},
                   {"memory", reply.out_of_memory},
                   {"late", reply.waited_too_long}});
}

Request decode_request(const std::string& bytes) {
  return checked([&] {
    const auto message = parse(bytes);
    return Request{message.at("call"), message.at("alone"), to_values(message.at("ranks"))};
  });
}

Reply decode_reply(const std::string& bytes) {
  return checked([&] {
    const auto message = parse(bytes);
    Reply reply{.outputs = to_values(message.at("ranks")),
                .traffic = {},
                .error = message.at("error"),
                .details = message.at("details"),
                .changed_input = message.at("changed"),
                .bad_input = message.at("input"),
                .out_of_memory = message.at("memory"),
                .waited_too_long = message.at("late")};
    for (const auto& t : message.at("traffic")) reply.traffic.push_back({t.at(0), t.at(1), t.at(2), t.at(3)});
    return reply;
  });
}

bool write_message(int file, const std::string& bytes, const Wait& wait) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  std::string all(reinterpret_cast<const char*>(&size), sizeof(size));
  all += bytes;
  for (std::size_t sent = 0; sent < all.size();) {
    if (wait && !wait()) return false;
    const auto n = ::write(file, all.data() + sent, all.size() - sent);
    if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (n > 0) sent += static_cast<std::size_t>(n);
  }
  return true;
}

bool read_message(int file, std::string& bytes, const Wait& wait) {
  const auto read_all = [&](char* into, std::size_t size) {
    for (std::size_t got = 0; got < size;) {
      if (wait && !wait()) return false;
      const auto n = ::read(file, into + got, size - got);
      if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) return false;
      if (n > 0) got += static_cast<std::size_t>(n);
    }
    return true;
  };
  std::int64_t size = 0;
  if (!read_all(reinterpret_cast<char*>(&size), sizeof(size)) || size < 0 || size > largest_message) return false;
  bytes.resize(static_cast<std::size_t>(size));
  return read_all(bytes.data(), bytes.size());
}

}  // namespace duet::lessons
