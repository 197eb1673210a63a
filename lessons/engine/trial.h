#pragma once
/// What a lesson's cases are written with: run the student's unit, compare, and say in a picture what went wrong.
#include "picture.h"
#include "student.h"

namespace duet::lessons {

/// A wrong answer that students really give, and what to say to it. The first that equals what came is told.
struct Suspect {
  at::Tensor value;
  std::string says;
};

/// Thrown by a case that fails; the judge adds the pictures that the case showed.
struct Failure {
  std::string text;
};

/// Outputs and traffic of one rank.
struct RankResult {
  Values out;
  Traffic traffic;
};

/// One case on the student's process.
class Trial {
 public:
  explicit Trial(Student& student) : student_(student) {}

  /// Draws this in the picture of the case, should it fail. Labels: "token" names rows token 0, token 1 ...
  void show(const std::string& title, const at::Tensor& tensor, const Labels& labels = {});
  void say(const std::string& line) { picture_ += line + "\n"; }

  /// Runs the unit alone, on this one rank.
  Values run(const Values& in, const std::string& call = "");
  /// Runs it on as many ranks as there are inputs.
  std::vector<RankResult> run_on_ranks(const std::vector<Values>& in, const std::string& call = "");

  /// Fails unless `out[name]` equals `expected` in type, shape and value (to rounding).
  /// @param hint what to look at when no suspect fits
  void expect(const Values& out, const std::string& name, const at::Tensor& expected, const std::string& hint,
              const std::vector<Suspect>& suspects = {}, const Labels& labels = {});
  /// Runs the unit alone and fails with `text` unless it throws InputError.
  void expect_input_error(const Values& in, const std::string& text);
  /// Fails with `text` unless `holds`.
  void require(bool holds, const std::string& text);

  /// What to say beside the error's own words, should the unit throw in this case.
  void if_it_throws(const std::string& says) { says_to_error_ = says; }
  const std::string& says_to_error() const { return says_to_error_; }

  const std::string& picture() const { return picture_; }

 private:
  Reply ask(const Request& request);

  Student& student_;
  std::string picture_;
  std::string says_to_error_;
};

/// Whether two tensors are equal to rounding; NaN equals nothing.
bool nearly_equal(const at::Tensor& a, const at::Tensor& b);

/// Thrown by Trial when the unit threw, waited too long, or ran out of memory.
struct Threw {
  Reply reply;
};

}  // namespace duet::lessons
