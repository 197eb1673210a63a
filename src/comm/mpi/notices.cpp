#include "comm/mpi/notices.h"

#include <algorithm>

namespace duet::comm {

namespace {

constexpr std::size_t longest_part = 800;  // four of them travel in the first message of every transport

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) {
    text += part.substr(0, longest_part);
    text += '\0';
  }
  return text;
}

std::vector<std::string> divided(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start < text.size();) {
    const auto end = text.find('\0', start);
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

}  // namespace

void Notices::tell(int rank, Topic topic, const std::vector<std::string>& parts) {
  auto& sent = sent_.emplace_back(Sent{.text = joined(parts)});
  MPI_Isend(sent.text.data(), static_cast<int>(sent.text.size()), MPI_CHAR, rank, static_cast<int>(topic), comm_.get(),
            &sent.request);
}

std::optional<Notice> Notices::poll() {
  int waits = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.get(), &waits, &status), "MPI_Iprobe");
  if (waits == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  std::string text(static_cast<std::size_t>(size), '\0');
  check_mpi(MPI_Recv(text.data(), size, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, comm_.get(), MPI_STATUS_IGNORE),
            "MPI_Recv");
  return Notice{.topic = static_cast<Topic>(status.MPI_TAG), .from = status.MPI_SOURCE, .parts = divided(text)};
}

bool Notices::all_taken() {
  std::erase_if(sent_, [](Sent& sent) {
    int taken = 1;
    if (sent.request != MPI_REQUEST_NULL) MPI_Test(&sent.request, &taken, MPI_STATUS_IGNORE);
    return taken != 0;
  });
  return sent_.empty();
}

}  // namespace duet::comm
