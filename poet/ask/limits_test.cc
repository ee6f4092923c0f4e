#include "poet/ask/limits.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

std::int64_t bytes_in(std::string_view text) {
  return std::get<RamBytes>(parse_ram_budget(text).value()).bytes;
}
double peak_ratio_in(std::string_view text) {
  return std::get<RamOfPlainPeak>(parse_ram_budget(text).value()).ratio;
}
double way_ratio_in(std::string_view text) {
  return std::get<RamOnTheWay>(parse_ram_budget(text).value()).ratio;
}
std::string budget_error(std::string_view text) {
  const Result<RamBudget> budget = parse_ram_budget(text);
  return budget.ok() ? "no error" : to_string(budget.error());
}
std::string deadline_error(std::string_view text) {
  const Result<Deadline> deadline = parse_deadline(text);
  return deadline.ok() ? "no error" : to_string(deadline.error());
}

TEST(ParseRamBudget, ReadsBytes) {
  EXPECT_EQ(bytes_in("737719"), 737'719);
  EXPECT_EQ(bytes_in("0"), 0);
  EXPECT_EQ(bytes_in("720KiB"), 737'280);
  EXPECT_EQ(bytes_in("3MB"), 3'000'000);
  EXPECT_EQ(bytes_in("1.5 KiB"), 1'536);
}

TEST(ParseRamBudget, ReadsPartsOfThePlainPeak) {
  EXPECT_EQ(peak_ratio_in("60%"), 0.6);
  EXPECT_EQ(peak_ratio_in("33.3%"), 0.333);
  EXPECT_EQ(peak_ratio_in("60 %"), 0.6);
  EXPECT_EQ(peak_ratio_in("0.6x"), 0.6);
  EXPECT_EQ(peak_ratio_in("2x"), 2);
}

TEST(ParseRamBudget, ReadsPartsOfTheWay) {
  EXPECT_EQ(way_ratio_in("40%way"), 0.4);
  EXPECT_EQ(way_ratio_in("0%way"), 0);
}

TEST(ParseRamBudget, TakesAnExponentForPartOfThePercent) {
  EXPECT_EQ(way_ratio_in("4e1%way"), 0.4);
  EXPECT_EQ(peak_ratio_in("6E+1%"), 0.6);
  EXPECT_EQ(peak_ratio_in("333e-1%"), 0.333);
  EXPECT_EQ(peak_ratio_in("6e-1x"), 0.6);
  for (const char* text : {"4e%way", "4e+-1%way", "4e99999999999%way", "e1%way", "1e308e1%way"})
    EXPECT_NE(budget_error(text), "no error") << text;
}

TEST(ParseRamBudget, SaysWhatIsWrongAndWhatWouldBeRight) {
  const std::string forms = "; write it as 737719, 720KiB, 3MB, 60%, 0.6x or 40%way";
  const auto refused = [&forms](const std::string& text, const std::string& why) {
    const std::string shown = text.empty() ? "nothing" : "'" + text + "'";
    EXPECT_EQ(budget_error(text),
              shown + " is not a RAM budget: " + why + (why.ends_with('?') ? "" : forms));
  };
  refused("", "expected a size such as 256KiB, found nothing");
  refused("-5%", "it is below 0");
  refused("-3", "it is below 0");
  refused("-0%", "'-0' is not a number");
  refused("infx", "'inf' is not a number");
  refused("60%%", "'60%' is not a number");
  refused("%", "the number is missing");
  refused("1e4", "bytes are written without an exponent");
  refused("40%Way", "did you mean '40%way'?");
  refused("40% way", "did you mean '40%way'?");
  EXPECT_EQ(
      budget_error("4\n0%Way"),
      "'4?0%Way' is not a RAM budget: unknown unit '?0%Way' (use B, KB, KiB, MB, MiB, GB or GiB)" +
          forms);
  refused("5kB", "unknown unit 'kB'; did you mean 'KB'?");
  refused("12 KX", "unknown unit 'KX' (use B, KB, KiB, MB, MiB, GB or GiB)");
  refused("18446744073709551616", "the size does not fit in 63 bits");
  refused("9999999999GiB", "the size does not fit in 63 bits");
  EXPECT_EQ(budget_error("9000000000000000000"),
            "the RAM budget '9000000000000000000' is too large; the largest is "
            "4294967296GiB");
}

// Somebody who writes 0.6 means a part, not no bytes at all.
TEST(ParseRamBudget, RefusesFractionsOfBytesWithoutAUnit) {
  for (const std::string text : {"0.6", "5000.5"})
    EXPECT_EQ(budget_error(text),
              "'" + text +
                  "' is not a RAM budget: bytes without a unit are whole; write "
                  "it as 737719, 720KiB, 3MB, 60%, 0.6x or 40%way");
}

TEST(ParseDeadline, ReadsRatiosAndTimes) {
  EXPECT_EQ(std::get<DeadlineRatio>(parse_deadline("1.5").value()).ratio, 1.5);
  EXPECT_EQ(std::get<DeadlineRatio>(parse_deadline("1.5x").value()).ratio, 1.5);
  EXPECT_EQ(std::get<DeadlineSeconds>(parse_deadline("200ms").value()).seconds, 0.2);
  EXPECT_EQ(std::get<DeadlineSeconds>(parse_deadline("2min").value()).seconds, 120);
}

TEST(ParseDeadline, SaysWhatWouldBeRight) {
  EXPECT_EQ(deadline_error("0"), "a deadline must be longer than nothing, found '0'");
  EXPECT_EQ(deadline_error("0ms"), "a deadline must be longer than nothing, found '0ms'");
  EXPECT_EQ(deadline_error("-1"),
            "'-1' is not a deadline: expected a number of at least 0 and its unit (ns, us, ms, s, "
            "min or h), found '-1'; write it as 1.5, 1.5x, 200ms, 3s or 2min");
  EXPECT_EQ(deadline_error("1e-70s"),
            "'1e-70s' is not a deadline: a time is from 1e-60 s to 1e+60 s; write it as 1.5, 1.5x, "
            "200ms, 3s or 2min");
  EXPECT_EQ(deadline_error("3 weeks"),
            "'3 weeks' is not a deadline: unknown unit 'weeks' (use ns, us, ms, s, min or h); "
            "write it as 1.5, 1.5x, 200ms, 3s or 2min");
  EXPECT_EQ(deadline_error("1e999"),
            "'1e999' is not a deadline: number out of range: '1e999' (0, or from 1e-307 to 1e308); "
            "write it as 1.5, 1.5x, 200ms, 3s or 2min");
}

TEST(PartOfBytes, RoundsDown) {
  EXPECT_EQ(part_of_bytes(0.1, 2'191'616), 219'161);
  EXPECT_EQ(part_of_bytes(0.3, 2'191'616), 657'484);
  EXPECT_EQ(part_of_bytes(0, 5), 0);
  EXPECT_EQ(part_of_bytes(0.5, 0), 0);
}

// Every fraction of whole bytes comes back exactly, also where the product of two doubles falls
// short of it.
TEST(PartOfBytes, IsExactForFractionsOfWholeBytes) {
  for (std::int64_t whole : {7, 1'000, 2'453'760, 383'778'816})
    for (std::int64_t part = 0; part <= 1'000; ++part)
      EXPECT_EQ(part_of_bytes(static_cast<double>(part) / static_cast<double>(whole), whole), part);
}

TEST(PartOfBytes, RefusesWhatDoesNotFit) {
  EXPECT_EQ(part_of_bytes(1e30, 1'000), std::nullopt);
}

std::string uncertainty_error(std::string_view text) {
  const Result<Uncertainty> uncertainty = parse_uncertainty(text);
  return uncertainty.ok() ? "no error" : to_string(uncertainty.error());
}

TEST(ParseUncertainty, ReadsAPartAndHowManyCosts) {
  EXPECT_EQ(parse_uncertainty("20%").value(), (Uncertainty{.ratio = 0.2}));
  EXPECT_EQ(parse_uncertainty("0.2").value(), (Uncertainty{.ratio = 0.2}));
  EXPECT_EQ(parse_uncertainty("20%:8").value(), (Uncertainty{.ratio = 0.2, .deviations = 8}));
  EXPECT_EQ(parse_uncertainty("1000%").value(), (Uncertainty{.ratio = 10}));
}

TEST(ParseUncertainty, ReadsWhatItWrites) {
  for (const char* text : {"20%", "33.3%:8", "1e-9", "0.1234567890123456789:1"}) {
    const Uncertainty read = parse_uncertainty(text).value();
    EXPECT_EQ(parse_uncertainty(uncertainty_text(read)).value(), read) << text;
  }
}

TEST(ParseUncertainty, SaysWhatIsWrongAndWhatWouldBeRight) {
  const auto refused = [](const std::string& text, const std::string& why) {
    EXPECT_EQ(uncertainty_error(text), "'" + text + "' is not an uncertainty: " + why +
                                           "; write it as 20%, 0.2 or, for at most 8 costs, 20%:8");
  };
  refused("much", "'much' is not a number");
  refused("%", "the number is missing");
  refused("-5%", "it is below 0");
  refused("0", "it must be above 0 and at most 1000%");
  refused("1001%", "it must be above 0 and at most 1000%");
  refused("20%:", "behind the colon, expected a whole number of at least 1, found nothing");
  refused("20%:0", "behind the colon, expected a whole number of at least 1, found '0'");
  refused("20%:4611686018427387905", "behind the colon, it does not fit in 62 bits");
}

}  // namespace
}  // namespace poet
