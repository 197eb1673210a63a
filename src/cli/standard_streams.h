#pragma once
/// Standard input, output and error, where the program was started without them.

namespace duet::cli {

/// Opens those that are closed on /dev/null, so that no file of a run takes their numbers and gets the messages that
/// are meant for them. Output still refuses what is written to it: results that go nowhere are an error.
void open_closed_streams();

}  // namespace duet::cli
