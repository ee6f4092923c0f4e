#include "apps/cli/manual.h"

#include <gtest/gtest.h>

namespace poet::cli {
namespace {

TEST(RoffText, KeepsWhatAShellReads) {
  EXPECT_EQ(roff_text("--out 'a\\b' \"c\" `d` ~/e ^f"),
            "\\-\\-out \\(aqa\\eb\\(aq \\(dqc\\(dq \\(gad\\(ga \\(ti/e \\(haf");
}

TEST(RoffLines, AreNoRequests) {
  EXPECT_EQ(roff_lines(".gz files"), "\\&.gz files\n");
  EXPECT_EQ(roff_lines("'quoted'"), "\\(aqquoted\\(aq\n");
}

TEST(RoffLines, AreNoRequestsWhereALineIsBroken) {
  const std::string word(76, 'x');
  EXPECT_EQ(roff_lines(word + " .TH"), word + "\n\\&.TH\n");
}

TEST(RoffLines, AreFilled) {
  const std::string word(38, 'x');
  EXPECT_EQ(roff_lines(word + " " + word + " y"), word + " " + word + "\ny\n");
  EXPECT_EQ(roff_lines(""), "");
}

TEST(ManualPages, AreOneForTheProgramAndOneForEachCommand) {
  const std::vector<ManualPage> pages = manual_pages();
  ASSERT_EQ(pages.size(), command_table().size() + 1);
  EXPECT_EQ(pages[0].file, "poet.1");
  EXPECT_EQ(pages[1].file, "poet-solve.1");
  for (const Command& command : command_table())
    EXPECT_NE(pages[0].text.find(roff_text("poet-" + std::string(command.name))),
              std::string::npos);
}

TEST(ManualPages, HaveEveryOptionOfTheTables) {
  for (const Command& command : command_table())
    for (const OptionRow& row : command.options())
      for (const std::string& name : names_of(row))
        EXPECT_NE(manual_text(command).find("\\fB" + roff_text(name) + "\\fR"), std::string::npos)
            << command.name << " " << name;
}

}  // namespace
}  // namespace poet::cli
