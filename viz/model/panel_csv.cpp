#include "viz/model/panel_csv.h"

#include <fmt/format.h>

#include "viz/model/flow_batch.h"
#include "viz/model/flows.h"
#include "viz/model/spans.h"
#include "viz/model/traffic_layout.h"

namespace duet::viz {

std::string routing_csv(const trace::StepRecord& step, std::size_t layer) {
  std::string text = "rank,expert,owner,pairs,dropped\n";
  for (const auto& flow : flows_of(step, layer)) {
    text += fmt::format("{},{},{},{},{}\n", flow.rank, flow.expert, flow.owner, flow.pairs, flow.dropped);
  }
  return text;
}

std::string timeline_csv(const std::vector<ModeStep>& modes) {
  std::string text = "mode,rank,phase,direction,operation,start_us,end_us,wait_us,bytes\n";
  for (const auto& mode : modes) {
    if (mode.step == nullptr) continue;
    for (const auto& span : spans_of(*mode.step)) {
      const auto& event = *span.event;
      text += fmt::format("{},{},{},{},{},{:.3f},{:.3f},{:.3f},{}\n", mode.mode, span.rank, trace::name(event.phase),
                          trace::name(event.direction),
                          event.operation == trace::Operation::none ? "" : trace::name(event.operation), span.start_us,
                          span.end_us, span.wait_end_us - span.start_us, event.bytes);
    }
  }
  return text;
}

std::string curves_csv(const Curves& curves) {
  std::string text = "mode,step,loss,aux,std,dropped,grad_norm,step_us\n";
  for (const auto& one : *curves.summaries) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", curves.modes[static_cast<std::size_t>(one.mode)], one.step,
                        one.loss, one.aux, one.std(), one.dropped(), one.grad_norm, one.step_us);
  }
  return text;
}

std::string load_csv(const Curves& curves) {
  std::string text = "mode,step,expert,pairs,dropped,capacity\n";
  for (const auto& one : *curves.summaries) {
    for (std::size_t expert = 0; expert < one.tokens_per_expert.size(); ++expert) {
      const auto dropped = expert < one.dropped_per_expert.size() ? one.dropped_per_expert[expert] : 0;
      text += fmt::format("{},{},{},{},{},{}\n", curves.modes[static_cast<std::size_t>(one.mode)], one.step, expert,
                          one.tokens_per_expert[expert], dropped, one.capacity < 0 ? "" : fmt::to_string(one.capacity));
    }
  }
  return text;
}

std::string traffic_csv(const trace::StepRecord& step) {
  std::string text = "direction,from,to,rows,bytes\n";
  for (const auto direction : {trace::Direction::forward, trace::Direction::backward}) {
    const auto traffic = traffic_of(step, direction);
    for (std::size_t from = 0; from < traffic.rows.size(); ++from) {
      for (std::size_t to = 0; to < traffic.rows.size(); ++to) {
        text += fmt::format("{},{},{},{},{}\n", trace::name(direction), from, to, traffic.rows[from][to],
                            traffic.bytes[from][to]);
      }
    }
  }
  return text;
}

std::string flow_csv(const trace::StepRecord& step, std::size_t layer) {
  std::string text = "token,rank,choice,expert,owner,gate,kept,row\n";
  for (const auto& row : flow_batch(step, layer, {}, FlowSize::all()).rows) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", row.token, row.rank, row.slot, row.expert, row.owner, row.gate,
                        trace::name(row.reason), row.kept() ? fmt::to_string(row.position) : "");
  }
  return text;
}

}  // namespace duet::viz
