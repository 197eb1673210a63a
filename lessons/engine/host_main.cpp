// The main program of a student's process: serves requests from one pipe and answers on another, until the first ends.
// usage: lesson_SLUG_NAME REQUEST_FILE_NUMBER REPLY_FILE_NUMBER
#include <ATen/Parallel.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "comm/threads/run_ranks.h"
#include "core/error.h"
#include "host.h"
#include "wire.h"

namespace duet::lessons {

namespace {

// design.md, section 3: 2 s in a check. The judge adds its own, for a unit that computes for ever.
constexpr comm::RunOptions run_options{.deadline = std::chrono::seconds(2), .grace = std::chrono::seconds(1)};

Traffic traffic_in(const trace::Recorder& recorder) {
  Traffic traffic;
  for (const auto& event : recorder.events()) {
    if (event.operation == trace::Operation::send) {
      ++traffic.sends;
    } else if (event.operation == trace::Operation::receive) {
      ++traffic.receives;
    } else if (event.operation != trace::Operation::none) {
      ++traffic.other_operations;
    }
    traffic.bytes_sent += event.bytes;
  }
  return traffic;
}

Values copy_of(const Values& values) {
  Values copy;
  for (const auto& [name, tensor] : values) copy[name] = tensor.defined() ? tensor.clone() : tensor;
  return copy;
}

// Runs the unit on a copy, and names an input that the unit overwrote.
Values run_watched(const Request& request, std::size_t rank, comm::Communicator* comm, std::string& changed) {
  const auto& given = request.inputs.at(rank);
  const auto in = copy_of(given);
  auto out = copy_of(run_unit(request.call, in, comm));  // a copy: what is returned may be a view of an input
  for (const auto& [name, tensor] : in) {
    if (!tensor.equal(given.at(name))) changed = name;
  }
  return out;
}

Reply run(const Request& request) {
  Reply reply;
  const auto ranks = request.inputs.size();
  reply.outputs.resize(ranks);
  reply.traffic.resize(ranks);
  if (request.alone) {
    reply.outputs.at(0) = run_watched(request, 0, nullptr, reply.changed_input);
    return reply;
  }
  std::vector<std::string> changed(ranks);
  comm::run_ranks(static_cast<int>(ranks), run_options, [&](comm::Communicator& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    trace::Recorder recorder;
    comm.set_recorder(&recorder);
    reply.outputs[rank] = run_watched(request, rank, &comm, changed[rank]);
    reply.traffic[rank] = traffic_in(recorder);
  });
  for (const auto& name : changed) reply.changed_input += name;
  return reply;
}

bool is_about_memory(const std::string& text) {
  return text.find("can't allocate memory") != std::string::npos || text.find("bad_alloc") != std::string::npos;
}

Reply reply_of(const Error& error) {
  const auto& text = error.text();
  Reply reply{.outputs = {},
              .traffic = {},
              .error = text.what,
              .details = {},
              .changed_input = {},
              .bad_input = error.code() == ExitCode::bad_input,
              .out_of_memory = is_about_memory(text.what),
              .waited_too_long = text.where.starts_with("the deadline of")};
  if (!text.where.empty()) reply.details += "where   " + text.where + "\n";
  if (reply.waited_too_long) return reply;  // the judge's advice is nearer to the lesson
  if (!text.usually.empty()) reply.details += "usually " + text.usually + "\n";
  if (!text.fix.empty()) reply.details += "fix     " + text.fix + "\n";
  return reply;
}

std::string reply_text(const std::string& what) {
  return encode(Reply{.outputs = {},
                      .traffic = {},
                      .error = what.substr(0, what.find("\nException raised from")),  // c10::Error adds a backtrace
                      .details = {},
                      .changed_input = {},
                      .bad_input = false,
                      .out_of_memory = is_about_memory(what),
                      .waited_too_long = false});
}

std::string answer(const std::string& bytes) {
  try {
    return encode(run(decode_request(bytes)));
  } catch (const Error& error) {
    return encode(reply_of(error));
  } catch (const std::exception& error) {
    return reply_text(error.what());
  } catch (...) {
    return reply_text("something was thrown that is no std::exception");
  }
}

}  // namespace

}  // namespace duet::lessons

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int requests = std::atoi(argv[1]);
  const int replies = std::atoi(argv[2]);
  at::set_num_threads(1);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // what was printed before a crash is a clue
  std::string bytes;
  while (duet::lessons::read_message(requests, bytes)) {
    const auto answer = duet::lessons::answer(bytes);
    std::fflush(nullptr);  // the judge ends this process without a word
    if (!duet::lessons::write_message(replies, answer)) std::_Exit(duet::lessons::pipe_closed);
  }
  std::_Exit(0);  // the student's destructors have no more to say
}
