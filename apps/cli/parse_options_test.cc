#include "apps/cli/parse_options.h"

#include <gtest/gtest.h>

namespace poet::cli {
namespace {

// A command with one option of each kind.
struct Parsed {
  std::string name;
  std::string mode;
  bool paging = true;
  bool loud = false;
};

std::vector<OptionRow> rows(Parsed& parsed) {
  return {
      {.names = "--name,--alias",
       .value = "NAME",
       .group = "",
       .help = "",
       .read =
           [&parsed](const std::string& text) {
             if (text == "bad") return Failure(bad_input("expected a good name, found 'bad'"));
             parsed.name = text;
             return Failure();
           }},
      {.names = "--mode",
       .value = "MODE",
       .group = "",
       .help = "",
       .words = {"free", "blocking"},
       .only_words = true,
       .read =
           [&parsed](const std::string& text) {
             parsed.mode = text;
             return Failure();
           }},
      {.names = "--paging,--no-paging",
       .group = "",
       .help = "",
       .read =
           [&parsed](const std::string& text) {
             parsed.paging = text == "true";
             return Failure();
           }},
      {.names = "--loud",
       .group = "",
       .help = "",
       .read =
           [&parsed](const std::string&) {
             parsed.loud = true;
             return Failure();
           }},
  };
}

Parsed parsed_from(const std::vector<std::string>& arguments) {
  Parsed parsed;
  const auto rest = parse_options("run", rows(parsed), arguments);
  EXPECT_TRUE(rest.ok()) << rest.error().message;
  return parsed;
}

std::string error_of(const std::vector<std::string>& arguments) {
  Parsed parsed;
  const auto rest = parse_options("run", rows(parsed), arguments);
  return rest.ok() ? "no error" : to_string(rest.error());
}

TEST(ParseOptions, ReadsValuesAfterASpaceAnEqualsSignAndByAlias) {
  EXPECT_EQ(parsed_from({"--name", "a"}).name, "a");
  EXPECT_EQ(parsed_from({"--name=a"}).name, "a");
  EXPECT_EQ(parsed_from({"--alias", "a"}).name, "a");
  EXPECT_EQ(parsed_from({"--name", "-1"}).name, "-1");
}

TEST(ParseOptions, TurnsSwitchesOnAndOffAndTheLastCounts) {
  EXPECT_TRUE(parsed_from({}).paging);
  EXPECT_TRUE(parsed_from({"--paging"}).paging);
  EXPECT_FALSE(parsed_from({"--no-paging"}).paging);
  EXPECT_TRUE(parsed_from({"--no-paging", "--paging"}).paging);
  EXPECT_FALSE(parsed_from({"--paging", "--no-paging"}).paging);
  EXPECT_TRUE(parsed_from({"--loud"}).loud);
}

TEST(ParseOptions, RefusesAValueOfASwitch) {
  EXPECT_EQ(error_of({"--paging=1"}), "--paging takes no value; write --paging or --no-paging");
  EXPECT_EQ(error_of({"--no-paging=false"}),
            "--no-paging takes no value; write --paging or --no-paging");
  EXPECT_EQ(error_of({"--loud=true"}), "--loud takes no value; write --loud");
}

TEST(ParseOptions, RefusesTwoValuesForOneOption) {
  EXPECT_EQ(error_of({"--mode", "free", "--mode", "blocking"}),
            "--mode is given twice, 'free' and 'blocking'; give it once");
  EXPECT_EQ(error_of({"--alias", "a", "--name=b"}),
            "--name or --alias is given twice, 'a' and 'b'; give it once");
}

TEST(ParseOptions, ReturnsWhatBelongsToNoOption) {
  Parsed parsed;
  EXPECT_EQ(parse_options("run", rows(parsed), {"x", "--loud", "y"}).value(),
            (std::vector<std::string>{"x", "y"}));
}

TEST(ParseOptions, SuggestsAnOptionForAnUnknownOne) {
  EXPECT_EQ(error_of({"--nmae", "a"}), "poet run has no option '--nmae'; did you mean '--name'?");
  EXPECT_EQ(error_of({"--nmae=a"}), "poet run has no option '--nmae'; did you mean '--name'?");
  EXPECT_EQ(error_of({"--no-pagin"}),
            "poet run has no option '--no-pagin'; did you mean '--no-paging'?");
  EXPECT_EQ(error_of({"--xyzzyxyzzy"}),
            "poet run has no option '--xyzzyxyzzy'; see 'poet help run'");
  EXPECT_EQ(error_of({"-q"}), "poet run has no option '-q'; see 'poet help run'");
}

TEST(ParseOptions, SaysThatAValueIsMissing) {
  EXPECT_EQ(error_of({"--name"}), "--name needs a value: --name NAME");
  EXPECT_EQ(error_of({"--name="}), "--name needs a value: --name NAME");
  EXPECT_EQ(error_of({"--alias", "--loud"}), "--alias needs a value: --alias NAME");
}

TEST(ParseOptions, NamesTheOptionWhoseValueIsNotRight) {
  EXPECT_EQ(error_of({"--name", "bad"}), "--name: expected a good name, found 'bad'");
  EXPECT_EQ(error_of({"--mode", "blokcing"}),
            "--mode: unknown value 'blokcing'; did you mean 'blocking'?");
  EXPECT_EQ(error_of({"--mode", "xyz"}), "--mode: unknown value 'xyz'; use free, blocking");
}

TEST(ReadList, ReadsNamesBetweenCommas) {
  EXPECT_EQ(*read_list("a,b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read_list("a,,b").error().message,
            "expected names with commas between them, found 'a,,b'");
  EXPECT_EQ(read_list("a,b,a").error().message, "'a' stands there twice");
}

}  // namespace

}  // namespace poet::cli
