#pragma once
/// What the ranks of one communicator share: slots where collectives meet, channels for messages between two ranks.
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "comm/posting.h"
#include "comm/threads/read_gate.h"
#include "comm/threads/thread_world.h"

namespace duet::comm {

/// How far a rank is with a collective. Each stage is reached in this order; an operation may skip `halfway`.
enum class Stage : std::uint64_t { posted = 1, halfway = 2, done = 3 };

struct Group;

/// Where operation number n of a group meets: slot n modulo the number of slots.
class Slot {
 public:
  explicit Slot(std::size_t size) : places_(size) {}

  Posting& posting(int rank) { return places_[static_cast<std::size_t>(rank)].posting; }
  std::vector<std::shared_ptr<Group>>& made(int rank) { return places_[static_cast<std::size_t>(rank)].made; }
  ReadGate& gate() { return gate_; }
  const Posting& posting(int rank) const { return places_[static_cast<std::size_t>(rank)].posting; }

  void reach(int rank, std::uint64_t sequence, Stage stage) { progress(rank).store(stamp(sequence, stage)); }
  bool reached(int rank, std::uint64_t sequence, Stage stage) const {
    return places_[static_cast<std::size_t>(rank)].progress.load() >= stamp(sequence, stage);
  }
  bool all_reached(std::uint64_t sequence, Stage stage) const {
    for (const auto& place : places_) {
      if (place.progress.load() < stamp(sequence, stage)) return false;
    }
    return true;
  }

 private:
  struct alignas(64) Place {
    std::atomic<std::uint64_t> progress{0};  ///< never falls: a stamp
    Posting posting;
    std::vector<std::shared_ptr<Group>> made;  ///< split: one group a color, made by rank 0
  };
  static std::uint64_t stamp(std::uint64_t sequence, Stage stage) {
    return sequence * 4 + static_cast<std::uint64_t>(stage);
  }
  std::atomic<std::uint64_t>& progress(int rank) { return places_[static_cast<std::size_t>(rank)].progress; }

  std::vector<Place> places_;
  ReadGate gate_;
};

/// Messages from one rank to another. Both ends count them; message n is written before `offered` becomes n, and read
/// before `taken` does.
struct Channel {
  alignas(64) std::atomic<std::uint64_t> offered{0};
  alignas(64) std::atomic<std::uint64_t> taken{0};
  ConstRows rows;
  std::optional<ErrorText> refused;  ///< why the receiver could not take the last message
  ReadGate gate;
};

struct Group {
  static constexpr std::size_t slot_count = 16;  ///< operations that may be outstanding at once

  Group(std::shared_ptr<ThreadWorld> shared, std::vector<int> members, std::uint32_t group_number)
      : world(std::move(shared)),
        ranks(std::move(members)),
        number(group_number),
        channels(ranks.size() * ranks.size()) {
    for (std::size_t i = 0; i < slot_count; ++i) slots.emplace_back(std::make_unique<Slot>(ranks.size()));
  }

  int size() const { return static_cast<int>(ranks.size()); }
  int world_rank(int rank) const { return ranks[static_cast<std::size_t>(rank)]; }
  Slot& slot(std::uint64_t sequence) { return *slots[sequence % slot_count]; }
  Channel& channel(int from, int to) { return channels[static_cast<std::size_t>(from * size() + to)]; }

  const std::shared_ptr<ThreadWorld> world;
  const std::vector<int> ranks;  ///< the world's number of each rank here
  const std::uint32_t number;
  std::vector<std::unique_ptr<Slot>> slots;
  std::vector<Channel> channels;  ///< [from][to]
};

}  // namespace duet::comm
