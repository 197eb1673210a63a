#include "tests/nccl_double/clique.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace duet::nccl_double {

namespace {

using Bytes = std::vector<unsigned char>;

template <typename T>
void add_as(unsigned char* into, const unsigned char* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, into + i * sizeof(T), sizeof(T));
    std::memcpy(&b, from + i * sizeof(T), sizeof(T));
    a = static_cast<T>(a + b);
    std::memcpy(into + i * sizeof(T), &a, sizeof(T));
  }
}

void add(ncclDataType_t type, unsigned char* into, const unsigned char* from, std::size_t count) {
  if (type == ncclUint8) add_as<std::uint8_t>(into, from, count);
  if (type == ncclInt64) add_as<std::uint64_t>(into, from, count);  // wraps round, as a GPU's
  if (type == ncclFloat32) add_as<float>(into, from, count);
  if (type == ncclFloat64) add_as<double>(into, from, count);
}

// Taken before anything is written: a rank's send and receive may be the same memory.
std::vector<Bytes> what_is_sent(const std::vector<Part>& parts, std::size_t bytes) {
  std::vector<Bytes> sent;
  for (const auto& part : parts) {
    const auto* const from = static_cast<const unsigned char*>(part.send);
    sent.emplace_back(from, from + bytes);
  }
  return sent;
}

void move_data(const std::vector<Part>& parts) {
  const auto& first = parts.front();
  const auto count = first.count, bytes = count * size_of(first.type), ranks = parts.size();
  const bool scatters = first.call == "ncclReduceScatter";
  auto sent = what_is_sent(parts, scatters ? bytes * ranks : bytes);
  const bool sums = scatters || first.call == "ncclAllReduce";
  for (std::size_t rank = 1; sums && rank < ranks; ++rank) {
    add(first.type, sent[0].data(), sent[rank].data(), sent[0].size() / size_of(first.type));
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    auto* const to = static_cast<unsigned char*>(parts[rank].receive);
    if (first.call == "ncclAllReduce") std::memcpy(to, sent[0].data(), bytes);
    if (scatters) std::memcpy(to, sent[0].data() + rank * bytes, bytes);
    if (first.call == "ncclBroadcast") std::memcpy(to, sent[static_cast<std::size_t>(first.root)].data(), bytes);
    for (std::size_t from = 0; first.call == "ncclAllGather" && from < ranks; ++from) {
      std::memcpy(to + from * bytes, sent[from].data(), bytes);
    }
  }
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
  if (type == ncclUint8) return 1;
  return type == ncclFloat32 ? 4 : 8;
}

Clique::Clique(int size)
    : size_(size), dead_(static_cast<std::size_t>(size), false), pairs_(static_cast<std::size_t>(size * size)) {}

bool Clique::join(int device) {
  const bool free = std::find(devices_.begin(), devices_.end(), device) == devices_.end();
  devices_.push_back(device);
  return free;
}

bool Clique::agreed(const Meeting& meeting) const {
  const auto& first = meeting.parts.front();
  for (std::size_t rank = 0; rank < meeting.parts.size(); ++rank) {
    const auto& part = meeting.parts[rank];
    if (!part.here || dead_[rank] || part.call != first.call || part.count != first.count || part.type != first.type ||
        part.root != first.root) {
      return false;
    }
  }
  return true;
}

bool Clique::collective(std::uint64_t number, int rank, const Part& part) {
  auto& meeting = meetings_[number];
  meeting.parts.resize(static_cast<std::size_t>(size_));
  auto& mine = meeting.parts[static_cast<std::size_t>(rank)];
  if (!mine.here) {
    mine = part;
    mine.here = true;
  }
  if (!meeting.done) {
    if (!agreed(meeting)) return false;
    move_data(meeting.parts);
    meeting.done = true;
  }
  if (++meeting.left == size_) meetings_.erase(number);
  return true;
}

void Clique::offer(int from, int to, const std::shared_ptr<Side>& send) { pair(from, to).sends.push_back(send); }

void Clique::want(int from, int to, const std::shared_ptr<Side>& receive) {
  pair(from, to).receives.push_back(receive);
}

void Clique::match(int from, int to) {
  auto& [sends, receives] = pair(from, to);
  if (dead_[static_cast<std::size_t>(from)] || dead_[static_cast<std::size_t>(to)]) return;
  while (!sends.empty() && !receives.empty() && sends.front()->bytes == receives.front()->bytes) {
    std::memcpy(receives.front()->memory, sends.front()->memory, sends.front()->bytes);
    sends.front()->done = receives.front()->done = true;
    sends.pop_front();
    receives.pop_front();
  }
}

void Clique::wish(std::uint64_t round, int rank, int color, int key) {
  auto& wishes = splits_[round].wishes;
  wishes.resize(static_cast<std::size_t>(size_));
  wishes[static_cast<std::size_t>(rank)] = {.color = color, .key = key, .here = true};
}

bool Clique::all_wished(std::uint64_t round) const {
  const auto& wishes = splits_.at(round).wishes;
  return std::all_of(wishes.begin(), wishes.end(), [](const Wish& wish) { return wish.here; });
}

std::pair<std::shared_ptr<Clique>, int> Clique::part_of(std::uint64_t round, int rank) {
  auto& split = splits_.at(round);
  const auto mine = split.wishes[static_cast<std::size_t>(rank)];
  int members = 0, before = 0;
  for (int other = 0; other < size_; ++other) {
    const auto& wish = split.wishes[static_cast<std::size_t>(other)];
    if (wish.color != mine.color) continue;
    ++members;
    before += std::tuple(wish.key, other) < std::tuple(mine.key, rank) ? 1 : 0;
  }
  auto& part = split.parts[mine.color];
  if (!part) part = std::make_shared<Clique>(members);
  return {part, before};
}

}  // namespace duet::nccl_double
