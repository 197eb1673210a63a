#pragma once
/// torch's TCPStore, with a deadline on every call. The one place that includes its header.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/communicator.h"

namespace duet::comm {

/// The store does not answer, and is not asked again; says why.
class StoreGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct StorePlace {
  std::string host = {};
  int port = 0;                   ///< 0, of the host: any that is free
  bool hosts = false;             ///< this process listens; otherwise it connects to who does
  bool beyond_this_host = false;  ///< others come from other hosts
};

/// All functions throw StoreGone.
class RemoteStore {
 public:
  /// Tries for `deadline` to connect (a whole second at least).
  /// @param deadline of every call; zero: none
  /// @throws InputError where the host cannot listen (comm/launch/listen_at.h)
  RemoteStore(const StorePlace& place, Deadline deadline);
  ~RemoteStore();
  RemoteStore(const RemoteStore&) = delete;
  RemoteStore& operator=(const RemoteStore&) = delete;

  int port() const;

  void set(const std::string& key, const std::string& value);
  /// The value, or none while nobody has set it.
  std::optional<std::string> look(const std::string& key);
  bool has_all(const std::vector<std::string>& keys);
  std::int64_t add(const std::string& key, std::int64_t amount);
  /// Sets it unless it is set.
  void set_first(const std::string& key, const std::string& value);

 private:
  struct Connection;
  template <typename Result, typename Call>
  Result ask(Call call);

  std::shared_ptr<Connection> connection_;
};

}  // namespace duet::comm
