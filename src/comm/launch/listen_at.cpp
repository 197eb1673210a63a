#include "comm/launch/listen_at.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "core/error.h"

namespace duet::comm {

namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// Null: every network of this machine.
Addresses resolve(const char* host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (host == nullptr ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host, std::to_string(port).c_str(), &hints, &found); error != 0) {
    throw InputError({.what = fmt::format("MASTER_ADDR={}: {}", host == nullptr ? "" : host, gai_strerror(error)),
                      .where = "rank 0, which would listen there for the others",
                      .usually = "the name is misspelt, or this machine's name service does not know it",
                      .fix = "give an address (hostname -I lists this machine's)"});
  }
  return {found, freeaddrinfo};
}

bool is_loopback(const addrinfo& address) {
  if (address.ai_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address.ai_addr, sizeof(in));
    return ntohl(in.sin_addr.s_addr) >> 24U == 127;
  }
  sockaddr_in6 in6{};
  std::memcpy(&in6, address.ai_addr, sizeof(in6));
  return IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
}

bool means_loopback(const std::string& host) {
  return host == "localhost" || host.starts_with("localhost.") || host.starts_with("127.") || host == "::1";
}

// The descriptor, or -1 with errno.
int try_to_listen(const addrinfo& address) {
  const int file = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  const int on = 1;
  const int off = 0;
  setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));  // the port of a run that has just ended
  if (address.ai_family == AF_INET6) setsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  if (bind(file, address.ai_addr, address.ai_addrlen) == 0 && listen(file, SOMAXCONN) == 0) return file;
  const int error = errno;
  close(file);
  errno = error;
  return -1;
}

[[noreturn]] void throw_cannot_listen(const std::string& host, int port, int error) {
  ErrorText text{.what = fmt::format("rank 0 cannot listen at {}:{}: {}", host, port, std::strerror(error)),
                 .where = "the store where the ranks meet (MASTER_ADDR and MASTER_PORT)",
                 .usually = {},
                 .fix = {}};
  if (error == EADDRINUSE) {
    text.usually = "another run, of yours or of someone else on this machine, has that port";
    text.fix = "give another MASTER_PORT, the same for all ranks; ss -tlnp tells who has this one";
  } else if (error == EADDRNOTAVAIL) {
    text.usually = "MASTER_ADDR must be the host on which rank 0 runs, and it is another's";
    text.fix = "set it to that host's address for all ranks (hostname -I lists a machine's)";
  } else if (error == EACCES) {
    text.usually = "ports below 1024 are the administrator's";
    text.fix = "give a MASTER_PORT of 1024 or more, such as 29500";
  }
  throw InputError(text);
}

}  // namespace

int listen_at(const std::string& host, int port, bool beyond_this_host) {
  auto addresses = resolve(host.c_str(), port);
  if (beyond_this_host && !means_loopback(host) && is_loopback(*addresses)) addresses = resolve(nullptr, port);
  int error = 0;
  for (const auto* address = addresses.get(); address != nullptr; address = address->ai_next) {
    if (const int file = try_to_listen(*address); file >= 0) return file;
    // A taken port is what a person can do something about, whatever the other addresses say.
    if (error != EADDRINUSE) error = errno;
  }
  throw_cannot_listen(host, port, error);
}

}  // namespace duet::comm
