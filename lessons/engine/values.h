#pragma once
/// What travels between the judge and the student's process: named tensors, and what became of a call.
#include <map>

#include "core/tensor.h"

namespace duet::lessons {

/// Inputs or outputs of a call by name. A number is a tensor without dimensions, a list of numbers one of [N] int64.
using Values = std::map<std::string, at::Tensor>;

/// A table written out in a case: [rows, columns] float64.
at::Tensor table(const std::vector<std::vector<double>>& rows);
at::Tensor number(std::int64_t value);
at::Tensor list(const std::vector<std::int64_t>& values);
std::int64_t number_in(const Values& values, const std::string& name);
std::vector<std::int64_t> list_in(const Values& values, const std::string& name);

/// What a rank said to others during a call, own rows excluded.
struct Traffic {
  std::int64_t sends = 0;
  std::int64_t receives = 0;
  std::int64_t bytes_sent = 0;
  std::int64_t other_operations = 0;  ///< collectives of the communicator itself
};

/// Runs the unit once, on as many ranks as `inputs` has entries; one entry and `alone`: without a communicator.
struct Request {
  std::string call;
  bool alone = true;
  std::vector<Values> inputs;
};

/// What came back: outputs and traffic of every rank, or an error's text.
struct Reply {
  std::vector<Values> outputs;
  std::vector<Traffic> traffic;
  std::string error;          ///< empty: none. What happened, as the unit or the exchange said it
  std::string details;        ///< where, why it usually happens, what to do; lines
  std::string changed_input;  ///< the input that the unit overwrote; empty: none
  bool bad_input = false;     ///< the unit threw InputError
  bool out_of_memory = false;
  bool waited_too_long = false;
};

}  // namespace duet::lessons
