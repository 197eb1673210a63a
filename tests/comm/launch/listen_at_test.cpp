// Where the store listens, and what is said when it cannot.
#include "comm/launch/listen_at.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.h"

namespace duet::comm {

namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

class Listening {
 public:
  Listening(const std::string& host, int port, bool beyond = false) : file_(listen_at(host, port, beyond)) {
    socklen_t size = sizeof(address_);
    getsockname(file_, reinterpret_cast<sockaddr*>(&address_), &size);
  }
  ~Listening() { close(file_); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  std::string host() const {
    char text[INET6_ADDRSTRLEN] = {};
    const void* const from = address_.ss_family == AF_INET
                                 ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(address_).sin_addr)
                                 : &reinterpret_cast<const sockaddr_in6&>(address_).sin6_addr;
    return inet_ntop(address_.ss_family, from, text, sizeof(text));
  }
  int port() const {
    return ntohs(address_.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in&>(address_).sin_port
                                               : reinterpret_cast<const sockaddr_in6&>(address_).sin6_port);
  }

 private:
  int file_;
  sockaddr_storage address_{};
};

std::string error_of(const std::string& host, int port) {
  try {
    const Listening listening(host, port);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ListenAt, LoopbackAloneUnlessToldOtherwise) {
  EXPECT_EQ(Listening("127.0.0.1", 0).host(), "127.0.0.1");
  EXPECT_THAT(Listening("localhost", 0, true).host(), AnyOf("127.0.0.1", "::1"));
  EXPECT_EQ(Listening("127.0.0.2", 0, true).host(), "127.0.0.2");
  EXPECT_GT(Listening("127.0.0.1", 0).port(), 0);
}

TEST(ListenAt, APortThatIsTakenIsTold) {
  const Listening first("127.0.0.1", 0);
  EXPECT_THAT(error_of("127.0.0.1", first.port()), AllOf(HasSubstr("127.0.0.1:" + std::to_string(first.port())),
                                                         HasSubstr("another run"), HasSubstr("another MASTER_PORT")));
}

TEST(ListenAt, AnotherHostsAddressIsTold) {
  EXPECT_THAT(error_of("192.0.2.1", 0), AllOf(HasSubstr("192.0.2.1"), HasSubstr("MASTER_ADDR must be the host on which "
                                                                                "rank 0 runs")));
}

TEST(ListenAt, AnUnknownNameIsTold) {
  EXPECT_THAT(error_of("no-such-host.invalid", 0),
              AllOf(HasSubstr("MASTER_ADDR=no-such-host.invalid"), HasSubstr("misspelt")));
}

}  // namespace

}  // namespace duet::comm
