#pragma once
/// A socket that listens at one host's address and nowhere else.
#include <string>

namespace duet::comm {

/// The socket's file descriptor, bound and listening. TCPStore, left to itself, listens on every network of the
/// machine. A name of another host that resolves to loopback here (Debian gives a machine's own name 127.0.1.1) is
/// listened for on every network where `beyond_this_host`, as the others will come from there.
/// @param port 0: any that is free
/// @throws InputError: the name is unknown, no address of it is this machine's, the port is taken or not allowed
int listen_at(const std::string& host, int port, bool beyond_this_host);

}  // namespace duet::comm
