#include "trace/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace duet::trace {
namespace {

using ::testing::ElementsAre;

/// Writes down what it hears.
class Listener : public PhaseObserver {
 public:
  void phase_begins(std::size_t event, Phase phase) override {
    heard.push_back(std::string("begin ") + name(phase) + " " + std::to_string(event));
  }
  void phase_ends(std::size_t event) noexcept override { heard.push_back("end " + std::to_string(event)); }

  std::vector<std::string> heard;
};

TEST(Recorder, TellsItsObserverOfNestedPhasesByTheirPlaces) {
  Listener listener;
  Recorder recorder;
  recorder.set_observer(&listener);
  {
    const Recorder::Scope backward(&recorder, Phase::backward, Direction::backward);
    Recorder::communication(&recorder, {});
    const Recorder::Scope dispatch(&recorder, Phase::dispatch, Direction::backward);
  }
  EXPECT_THAT(listener.heard, ElementsAre("begin backward 0", "begin dispatch 2", "end 2", "end 0"));
  EXPECT_EQ(recorder.events().at(2).phase, Phase::dispatch);
}

TEST(Recorder, TellsItsObserverOfAPhaseThatAnErrorEnds) {
  Listener listener;
  Recorder recorder;
  recorder.set_observer(&listener);
  try {
    const Recorder::Scope scope(&recorder, Phase::expert, Direction::forward);
    throw std::runtime_error("an expert failed");
  } catch (const std::runtime_error&) {
  }
  EXPECT_THAT(listener.heard, ElementsAre("begin expert 0", "end 0"));
}

}  // namespace
}  // namespace duet::trace
