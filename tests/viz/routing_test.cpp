// The routing picture: zoom, single tokens, the selected one's way, ghosts, crowds.
#include "viz/model/routing_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/viz/token_steps.h"
#include "viz/model/routing_bands.h"
#include "viz/model/routing_labels.h"
#include "viz/model/token_path.h"

namespace duet::viz {
namespace {

using test::many;
using test::two_ranks_with_tokens;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using trace::DropReason;

constexpr Rect rect{10, 20, 800, 400};
constexpr float line = 16;
constexpr RoutingZoom nearly_all{0, 0.999F};

std::vector<Shape> with(const Shapes& shapes, Form form, Thing thing) {
  std::vector<Shape> found;
  for (const auto& shape : shapes) {
    if (shape.form == form && shape.hit.thing == thing) found.push_back(shape);
  }
  return found;
}

std::vector<std::string> texts(const Shapes& shapes) {
  std::vector<std::string> found;
  for (const auto& shape : shapes) {
    if (shape.form == Form::text) found.push_back(shape.text);
  }
  return found;
}

// Where texts lie over each other, as far as a layout knows their widths.
int overlaps(const Shapes& shapes) {
  std::vector<Rect> boxes;
  for (const auto& shape : shapes) {
    if (shape.form != Form::text) continue;
    const float width = text_width(shape.text, line * shape.size);
    const float x = shape.align == Align::left ? 0 : shape.align == Align::middle ? width / 2 : width;
    boxes.push_back({shape.box.x - x, shape.box.y, width, line * shape.size});
  }
  int count = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto &a = boxes[i], &b = boxes[j];
      constexpr float slack = 0.5F;
      if (a.x + slack < b.right() && b.x + slack < a.right() && a.y + slack < b.bottom() && b.y + slack < a.bottom())
        ++count;
    }
  }
  return count;
}

TEST(RoutingZoom, KeepsThePairUnderThePointer) {
  const auto in = zoomed({0, 1}, 0.25F, 1, 0, 1000, 10);
  EXPECT_NEAR(in.to - in.from, 0.8F, 1e-6F);
  EXPECT_NEAR(in.from + 0.25F * (in.to - in.from), 0.25F, 1e-6F);
  const auto out = zoomed(in, 0.25F, -1, 0, 1000, 10);
  EXPECT_TRUE(out.all());
  const auto moved = zoomed({0.2F, 0.4F}, 0.5F, 0, 0.5F, 1000, 10);
  EXPECT_NEAR(moved.from, 0.3F, 1e-6F);
  EXPECT_NEAR(moved.to, 0.5F, 1e-6F);
  EXPECT_NEAR(zoomed({0.2F, 0.4F}, 0.5F, 0, 9, 1000, 10).to, 1, 1e-6F);
  const auto closest = zoomed({0, 1}, 0.5F, 100, 0, 1000, 10);
  EXPECT_NEAR(closest.to - closest.from, 0.01F, 1e-6F);
}

TEST(RoutingSpace, ConsistsOfThePairsInSight) {
  const auto step = two_ranks_with_tokens();  // pairs: 3 and 1 of rank 0, 2 and 2 of rank 1
  const auto space = routing_space(flows_of(step, 0), 2, {0.25F, 0.75F}, rect, line);
  ASSERT_EQ(space.slices.size(), 3U);  // the last of rank 0's three, its one, and the first two of rank 1
  EXPECT_TRUE(space.slices[0].kept.empty());
  EXPECT_NEAR(space.slices[0].lost.size(), 1, 1e-6);
  EXPECT_THAT(space.left.pairs, ElementsAre(2, 2));
  EXPECT_THAT(space.right.pairs, ElementsAre(3, 1));
  EXPECT_NEAR(space.left.boxes[1].bottom(), rect.bottom(), 1e-3);
  EXPECT_NEAR(space.right.boxes[1].bottom(), rect.bottom(), 1e-3);
}

TEST(TokenRibbons, ShowsEachPairOnceZoomedIn) {
  const auto step = two_ranks_with_tokens();
  const auto shapes = lay_out_routing(step, {.zoom = nearly_all, .tokens = &step}, rect, line);
  EXPECT_EQ(with(shapes, Form::band, Thing::token).size(), 8U);
  EXPECT_EQ(with(shapes, Form::cross, Thing::token).size(), 1U);
  EXPECT_TRUE(with(shapes, Form::band, Thing::ribbon).empty());
  EXPECT_THAT(texts(shapes), testing::IsSupersetOf({"0", "1", "2", "3", "4", "5", "6", "7"}));
}

TEST(TokenRibbons, StaysWithRibbonsUnlessZoomedInAndWithTokens) {
  const auto step = two_ranks_with_tokens(), bare = test::two_ranks();
  EXPECT_EQ(with(lay_out_routing(step, {.tokens = &step}, rect, line), Form::band, Thing::ribbon).size(), 4U);
  EXPECT_EQ(
      with(lay_out_routing(bare, {.zoom = nearly_all, .tokens = &bare}, rect, line), Form::band, Thing::ribbon).size(),
      4U);
  EXPECT_EQ(with(lay_out_routing(bare, {.zoom = nearly_all}, rect, line), Form::band, Thing::ribbon).size(), 4U);
  const auto large = many(2, 8, 4096, 900, true);
  EXPECT_TRUE(with(lay_out_routing(large, {.zoom = {0, 0.5F}, .tokens = &large}, rect, line), Form::band, Thing::token)
                  .empty());
}

TEST(TokenRibbons, ThePointerFindsEachToken) {
  const auto step = two_ranks_with_tokens();
  const auto shapes = lay_out_routing(step, {.zoom = nearly_all, .tokens = &step}, rect, line);
  for (const auto& band : with(shapes, Form::band, Thing::token)) {
    EXPECT_EQ(hit_at(shapes, {band.box.x + 3, band.box.y + band.box.height / 2}), band.hit);
  }
}

// However many there are, only those in sight become shapes, and each of those is found by its number.
TEST(TokenRibbons, LaysOutOnlyWhatIsInSight) {
  const auto step = many(2, 8, 16'384, 4000, true);
  const RoutingZoom zoom{0.3F, 0.301F};
  const auto shapes = lay_out_routing(step, {.zoom = zoom, .tokens = &step}, rect, line);
  const auto bands = with(shapes, Form::band, Thing::token);
  EXPECT_NEAR(static_cast<double>(bands.size()), 0.001 * 65'536, 3);
  for (const auto& band : bands) {
    EXPECT_GE(band.box.y, rect.y);
    EXPECT_LE(band.box.bottom(), rect.bottom());
    ASSERT_TRUE(path_of(step, 0, band.hit.a, band.hit.b));
  }
  EXPECT_LT(shapes.size(), 400U);
}

TEST(TokenRibbons, AreWhatTheRibbonsAreMadeOf) {
  const auto step = many(2, 4, 20, 8, true);
  for (const RoutingZoom zoom : {nearly_all, RoutingZoom{0.1F, 0.35F}, RoutingZoom{0.613F, 0.7F}}) {
    const auto space = routing_space(flows_of(step, 0), 2, zoom, rect, line);
    const auto touched = [](Range range) { return range.empty() ? 0 : std::ceil(range.to) - std::floor(range.from); };
    double kept = 0, lost = 0;
    for (const auto& slice : space.slices) {
      kept += touched(slice.kept);
      lost += touched(slice.lost);
    }
    const auto shapes = lay_out_routing(step, {.zoom = zoom, .tokens = &step}, rect, line);
    EXPECT_EQ(static_cast<double>(with(shapes, Form::band, Thing::token).size()), kept + lost);
    EXPECT_EQ(static_cast<double>(with(shapes, Form::cross, Thing::token).size()), lost);
  }
}

TEST(TokenWay, LeadsOutAndBackAndStandsOut) {
  const auto step = two_ranks_with_tokens();
  for (const auto zoom : {RoutingZoom{}, nearly_all}) {
    const auto shapes =
        lay_out_routing(step, {.pinned = {Thing::token, 0, 1}, .zoom = zoom, .tokens = &step}, rect, line);
    std::size_t strong = 0;
    for (const auto& band : with(shapes, Form::band, Thing::token)) {
      if (band.colour.alpha < 1) continue;
      ++strong;
      EXPECT_EQ(band.hit, (Hit{Thing::token, 0, 1}));
    }
    EXPECT_EQ(strong, 2U);
    EXPECT_THAT(texts(shapes), testing::IsSupersetOf({"row 0 to E1", "back x 0.80"}));
    for (const auto& ribbon : with(shapes, Form::band, Thing::ribbon)) EXPECT_LT(ribbon.colour.alpha, 0.2F);
  }
}

TEST(TokenWay, StopsWhereItsTokenWasDropped) {
  const auto step = two_ranks_with_tokens();
  const auto shapes = lay_out_routing(step, {.pinned = {Thing::token, 0, 3}, .tokens = &step}, rect, line);
  EXPECT_EQ(with(shapes, Form::cross, Thing::token).size(), 1U);
  EXPECT_THAT(texts(shapes), testing::Contains("to E0: over capacity"));
}

TEST(TokenWay, SaysThatItIsOutOfSightAndFadesNothing) {
  const auto step = many(2, 4, 400, 1000, true);
  const auto shapes =
      lay_out_routing(step, {.pinned = {Thing::token, 1, 799}, .zoom = {0, 0.05F}, .tokens = &step}, rect, line);
  EXPECT_THAT(texts(shapes), testing::Contains("token 799 is out of sight; F shows all"));
  for (const auto& band : with(shapes, Form::band, Thing::token)) EXPECT_GT(band.colour.alpha, 0.5F);
}

TEST(TokenWay, FindsATokenThatAnotherModeHasOnAnotherRank) {
  const auto step = two_ranks_with_tokens();
  ASSERT_TRUE(path_of(step, 0, 5, 6));
  EXPECT_EQ(path_of(step, 0, 5, 6)->rank, 1);
  EXPECT_FALSE(path_of(step, 0, 0, 99));
  EXPECT_FALSE(path_of(step, 3, 0, 0));
}

TEST(TokenPath, CountsRowsAsTheExchangeSendsThem) {
  const auto step = two_ranks_with_tokens();
  const auto path = path_of(step, 0, 1, 6);
  ASSERT_TRUE(path);
  ASSERT_EQ(path->pairs.size(), 1U);
  EXPECT_EQ(path->pairs[0].place, 1);  // after token 4
  EXPECT_EQ(path->pairs[0].kept, 2);
  EXPECT_EQ(path->pairs[0].row, 3);  // after two rows for expert 0
  EXPECT_EQ(path->pairs[0].owner, 1);
  EXPECT_EQ(path_of(step, 0, 0, 3)->pairs[0].row, -1);
}

TEST(TokenPath, TellsWhyAPairWasDroppedByEachRule) {
  const auto words = [](DropReason why) {
    const auto step = two_ranks_with_tokens(why);
    const auto lines = tell_token(step, 0, 0, 3);
    return lines.empty() ? "" : lines.back();
  };
  EXPECT_THAT(words(DropReason::over_capacity),
              HasSubstr("over capacity: expert 0 takes 2, and 2 earlier pairs had them"));
  EXPECT_THAT(words(DropReason::low_probability),
              HasSubstr("lower gate: expert 0 takes 2, those with the highest gates"));
  EXPECT_THAT(words(DropReason::low_probability), HasSubstr("that stayed is 0.700"));
  EXPECT_THAT(words(DropReason::random),
              HasSubstr("by lot: expert 0 takes 2, drawn at random; 2 of this rank's 3 stayed"));
}

TEST(TokenPath, TellsLogitsAndChoices) {
  const auto lines = tell_token(two_ranks_with_tokens(), 0, 0, 0);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "token 0 of rank 0");
  EXPECT_EQ(lines[1], "logits: E0 0.50, E1 -0.25");
  EXPECT_EQ(lines[2], "choice 1: expert 0 on rank 0, gate 0.900: kept, row 0 of 2 (from 0)");
  trace::TokenRoute wide;
  for (int i = 0; i < 64; ++i) wide.logits.push_back(static_cast<float>(i % 13));
  EXPECT_THAT(tell_logits(wide), HasSubstr("E12 12.00"));
  EXPECT_THAT(tell_logits(wide), HasSubstr("and 56 lower"));
}

TEST(RoutingPatterns, TellNeighboursApart) {
  const auto shapes = lay_out_routing(many(2, 8, 64, 100, true), {}, rect, line);
  std::set<int> seen;
  int before = -1;
  for (const auto& box : with(shapes, Form::box, Thing::expert)) {
    EXPECT_NE(box.pattern, before);
    before = box.pattern;
    seen.insert(box.pattern);
  }
  EXPECT_GE(seen.size(), 4U);
  std::set<std::pair<int, int>> looks;
  for (int expert = 0; expert < 40; ++expert) looks.emplace(expert % 8, pattern_of(expert));
  EXPECT_EQ(looks.size(), 40U);
}

TEST(RoutingGhost, OutlinesWhatTheOriginalDropped) {
  const auto original = two_ranks_with_tokens();
  auto other = original;
  other.capacity = 3;
  other.ranks[0].layers[0].dropped_per_expert = {0, 0};
  const auto shapes = lay_out_routing(other, {.ghost = &original}, rect, line);
  EXPECT_EQ(with(shapes, Form::edge, Thing::none).size(), 1U);
  EXPECT_TRUE(with(shapes, Form::band, Thing::drop).empty());
}

TEST(RoutingSelection, IsFoundInAnotherModeOrLeftAlone) {
  auto step = two_ranks_with_tokens();
  const auto flows = flows_of(step, 0);
  EXPECT_EQ(settled({Thing::expert, 5, 1}, flows), (Hit{Thing::expert, 1, 1}));
  EXPECT_EQ(settled({Thing::rank, 7, 0}, flows), Hit{});
  EXPECT_EQ(settled({Thing::ribbon, 0, 1}, flows), (Hit{Thing::ribbon, 0, 1}));
  const auto ribbons =
      with(lay_out_routing(step, {.pinned = {Thing::rank, 7, 0}}, rect, line), Form::band, Thing::ribbon);
  for (const auto& ribbon : ribbons) EXPECT_GT(ribbon.colour.alpha, 0.5F);
}

struct Crowd {
  int ranks;
  std::int64_t experts, tokens;
  bool shared;
};

TEST(RoutingCrowd, NoTextLiesOverAnotherAndEveryBoxIsSeen) {
  for (const auto& crowd :
       {Crowd{2, 4, 6, true}, Crowd{16, 64, 64, true}, Crowd{16, 64, 64, false}, Crowd{1, 64, 64, false}}) {
    const auto step = many(crowd.ranks, crowd.experts, crowd.tokens, 3, crowd.shared);
    for (const Rect room : {Rect{0, 0, 400, 300}, Rect{0, 0, 360, 500}, Rect{0, 0, 800, 150}, Rect{0, 0, 1200, 700}}) {
      for (const auto zoom : {RoutingZoom{}, RoutingZoom{0.2F, 0.4F}, RoutingZoom{0.5F, 0.505F}}) {
        for (const Hit pinned : {Hit{}, Hit{Thing::token, 0, 2}}) {
          const auto shapes = lay_out_routing(step, {.pinned = pinned, .zoom = zoom, .tokens = &step}, room, line);
          EXPECT_EQ(overlaps(shapes), 0) << crowd.ranks << "x" << crowd.experts << " in " << room.width << "x"
                                         << room.height << " from " << zoom.from << " pinned " << pinned.b;
          for (const auto& box : with(shapes, Form::box, Thing::expert)) {
            EXPECT_GE(box.box.height, 0.99F);
            EXPECT_LE(box.box.bottom(), room.bottom());
          }
        }
      }
    }
  }
}

TEST(RoutingCrowd, NamesExpertsByRankWhereThereIsNoRoomForEach) {
  const auto shapes = lay_out_routing(many(16, 64, 64, 3, true), {}, {0, 0, 1200, 600}, line);
  EXPECT_THAT(texts(shapes), testing::Contains("E4-E7 on rank 1"));
  EXPECT_THAT(texts(shapes), Not(testing::Contains(HasSubstr("E4: "))));
}

TEST(RoutingLabels, SpreadAsLittleAsTheyMust) {
  EXPECT_THAT(spread({10, 50}, 16, 0, 100), ElementsAre(10, 50));
  EXPECT_THAT(spread({10, 12, 50}, 16, 0, 100), ElementsAre(10, 26, 50));
  EXPECT_THAT(spread({90, 95}, 16, 0, 100), ElementsAre(68, 84));
  EXPECT_TRUE(spread({1, 2, 3}, 16, 0, 40).empty());
}

}  // namespace
}  // namespace duet::viz
