#include "trace/report_page.h"

#include <fmt/format.h>

#include "trace/html.h"

namespace duet::trace {

namespace {

constexpr std::string_view head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --paper: #ffffff; --card: #f6f8fa; --ink: #1c2128; --muted: #57606a; --rule: #d0d7de; --heat: #2f7fd1; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0f141a; --card: #171d25; --ink: #e6edf3; --muted: #9aa4af; --rule: #343c46; --heat: #3f8fe0; }
}
.c0 { --c: #7e62dc; } .c1 { --c: #a85aa3; } .c2 { --c: #a97908; } .c3 { --c: #d9622b; } .c4 { --c: #2f7fd1; }
.c5 { --c: #cf4f46; } .c6 { --c: #4f9236; } .c7 { --c: #1f8f8a; } .c8 { --c: #c9478f; } .c9 { --c: #8c7a4e; }
.c10 { --c: #7d8590; } .m0 { --c: #2f7fd1; } .m1 { --c: #d9622b; } .m2 { --c: #4f9236; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 58rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", Arial, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
p { margin: .4rem 0; max-width: 46rem; }
.facts, .muted, small, figcaption { color: var(--muted); }
.said { font-size: 1.05rem; }
.warning { border-left: 4px solid #d9622b; background: var(--card); padding: .5rem .9rem; }
.drawing { overflow-x: auto; margin: .6rem 0 .2rem; }
svg { display: block; font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", Arial, sans-serif; }
svg text { fill: var(--muted); }
svg text.strong { fill: var(--ink); font-weight: 600; }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
svg .grid { stroke: var(--rule); fill: none; }
svg .axis { stroke: var(--muted); fill: none; }
svg .line { stroke: var(--c); fill: none; stroke-linejoin: round; stroke-linecap: round; }
svg rect.work, svg rect.transfer, svg rect.wait { fill: var(--c); stroke: var(--paper); stroke-width: .75; }
svg rect.transfer { fill-opacity: .5; }
svg rect.hatch { fill: var(--c); }
svg rect.hatch-ground { fill: var(--card); }
svg rect.ground { fill: var(--paper); }
svg rect.heat { fill: var(--heat); stroke: var(--rule); }
i { display: inline-block; width: .8em; height: .8em; margin-right: .45em; border-radius: 2px; background: var(--c); }
i.pale { opacity: .5; }
i.hatched { background: repeating-linear-gradient(-45deg, var(--c) 0 2px, var(--card) 2px 5px); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; margin: .3rem 0 .6rem; padding: 0; font-size: .9rem; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem 1rem .25rem 0; text-align: right; font-weight: 400; vertical-align: top; }
th:first-child, .config td { text-align: left; }
thead th { color: var(--muted); border-bottom: 1px solid var(--rule); }
tbody tr { border-bottom: 1px solid var(--rule); }
.sum th, .sum td { font-weight: 600; }
td small { display: block; }
.wide { overflow-x: auto; }
.side { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; }
figure { margin: .4rem 0; max-width: 100%; }
pre { background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: .8rem 1rem; overflow-x: auto;
  font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.config td { overflow-wrap: anywhere; }
</style>
)";

}  // namespace

std::string page(std::string_view title, std::string_view body) {
  return fmt::format("{}<title>{}</title>\n</head>\n<body>\n{}</body>\n</html>\n", head, escape(title), body);
}

}  // namespace duet::trace
