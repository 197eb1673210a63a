#pragma once
/// A lesson as the judge knows it: its cases, from the smallest up, and what its questions measure.
#include <functional>

#include "trial.h"

namespace duet::lessons {

struct Case {
  std::string title;  ///< what it is about, as a person reads it: "one token, two experts"
  std::function<void(Trial&)> run;
};

/// The answer to one of questions.json, found by running the product.
struct Measure {
  std::string id;
  std::function<double()> run;
};

struct Lesson {
  std::string slug;
  std::string function;  ///< the function to write
  std::vector<Case> cases;
  std::vector<Measure> measures;
};

}  // namespace duet::lessons
