#include "comm/launch/remote_store.h"

#include <c10/util/Exception.h>
#include <c10/util/Logging.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "comm/launch/listen_at.h"
#include "comm/launch/within.h"

namespace duet::comm {

// What a call that never returns keeps alive.
struct RemoteStore::Connection {
  std::shared_ptr<c10d::TCPStore> store = nullptr;
  Deadline deadline{};
  bool gone = false;
};

namespace {

using std::chrono::milliseconds;
using Bytes = std::vector<std::uint8_t>;

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }
Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

c10d::TCPStoreOptions options_for(const StorePlace& place, Deadline deadline) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place.port);
  options.isServer = place.hosts;
  options.waitWorkers = false;
  options.timeout = deadline.count() == 0 ? milliseconds(std::chrono::hours(24 * 365)) : deadline;
  options.timeout = std::max(options.timeout, milliseconds(1000));  // TCPStore counts whole seconds here
  if (place.hosts) options.masterListenFd = listen_at(place.host, place.port, place.beyond_this_host);
  return options;
}

// torch logs what it throws, with a backtrace; the errors of this file say the same. TORCH_CPP_LOG_LEVEL, when it is
// set, has the last word.
void quiet_torch() {
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = 3;  // FATAL
}

// Without the backtrace and the place in torch's sources.
std::string reason_of(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  return text.substr(0, text.find('\n'));
}

}  // namespace

// TCPStore's reads wait for ever for a host that stands still, so each call has a thread to be left behind in.
template <typename Result, typename Call>
Result RemoteStore::ask(Call call) {
  auto& connection = *connection_;
  if (connection.gone) throw StoreGone("it did not answer before");
  connection.gone = true;
  try {
    auto result = within<Result>(connection.deadline, [shared = connection_, call] { return call(*shared->store); });
    if (!result) throw StoreGone(fmt::format("no answer within {} s", connection.deadline.count() / 1000.0));
    connection.gone = false;
    return *std::move(result);
  } catch (const c10::Error& error) {
    throw StoreGone(reason_of(error));
  }
}

RemoteStore::RemoteStore(const StorePlace& place, Deadline deadline)
    : connection_(std::make_shared<Connection>(Connection{.deadline = deadline})) {
  quiet_torch();
  const auto options = options_for(place, deadline);
  const auto limit = deadline.count() == 0 ? deadline : options.timeout + milliseconds(500);
  const auto connect = [host = place.host, options] { return std::make_shared<c10d::TCPStore>(host, options); };
  try {
    auto store = within<std::shared_ptr<c10d::TCPStore>>(limit, connect);
    if (!store) throw StoreGone(fmt::format("no answer within {} s", limit.count() / 1000.0));
    connection_->store = *std::move(store);
  } catch (const c10::Error& error) {
    throw StoreGone(reason_of(error));
  }
}

RemoteStore::~RemoteStore() = default;

int RemoteStore::port() const { return connection_->store->getPort(); }

void RemoteStore::set(const std::string& key, const std::string& value) {
  // A set alone waits for no answer, so that a lost one would go unseen: look whether it arrived.
  ask<bool>([key, value](c10d::TCPStore& store) {
    store.set(key, bytes_of(value));
    return store.check({key});
  });
}

std::optional<std::string> RemoteStore::look(const std::string& key) {
  return ask<std::optional<std::string>>([key](c10d::TCPStore& store) -> std::optional<std::string> {
    if (!store.check({key})) return std::nullopt;
    return text_of(store.get(key));
  });
}

bool RemoteStore::has_all(const std::vector<std::string>& keys) {
  return ask<bool>([keys](c10d::TCPStore& store) { return store.check(keys); });
}

std::int64_t RemoteStore::add(const std::string& key, std::int64_t amount) {
  return ask<std::int64_t>([key, amount](c10d::TCPStore& store) { return store.add(key, amount); });
}

void RemoteStore::set_first(const std::string& key, const std::string& value) {
  ask<bool>([key, value](c10d::TCPStore& store) {
    store.compareSet(key, {}, bytes_of(value));
    return true;
  });
}

}  // namespace duet::comm
