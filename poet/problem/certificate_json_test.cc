#include <gtest/gtest.h>

#include "poet/problem/certificate_json.h"

namespace poet {
namespace {

CertifiedInstance instance() {
  return {.name = "é",
          .operations = 7,
          .tensors = 9,
          .ram_budget_bytes = 1000,
          .deadline_s = 2.5,
          .storage_capacity_bytes = 3000,
          .write_budget_bytes = 4000,
          .idle_w = 0.25,
          .time_mode = TimeMode::Overlapped,
          .objective = Objective::Time,
          .paging_allowed = false,
          .rematerialisation_allowed = true};
}

WalkProof walk() {
  return {.events = {{.stage = 3,
                      .operation = 1,
                      .memory = 0.1,
                      .uses = {{TensorId{0}, 0.2}},
                      .outputs = std::vector<TensorMultiplier>{{TensorId{2}, -0.3}},
                      .shared_runs = 1,
                      .shared_dies = 2,
                      .shared_moves = 3,
                      .shared_takes = 4},
                     {.stage = 4, .operation = 4, .memory = 1e-300}},
          .deadline = 0.5,
          .storage = 0.25,
          .writes = 0.125,
          .cuts = {{.kind = NeedKind::Read,
                    .stage = 2,
                    .absent = {TensorId{1}, TensorId{5}},
                    .divisor_bytes = 6,
                    .multiplier = 0.7}}};
}

WindowProof windows() {
  return {.keys = {2, 5},
          .rows = {{WindowRowKind::Memory, {1}},
                   {WindowRowKind::CrowdedReader, {1, 2, 3, 4}},
                   {WindowRowKind::Deadline, {}}},
          .columns = {{WindowColumnKind::Stored, {3}}, {WindowColumnKind::InRam, {1, 2, 3}}},
          .cuts = {{.rows = {{0, 1}}, .cuts = {}, .complemented = {0}, .divisor = 3.5},
                   {.rows = {}, .cuts = {{0, 2}}, .complemented = {}, .divisor = 1}},
          .nodes = {ProofBranch{0, 1, 2}, ProofLeaf{{{0, 0.5}}, {{1, 0.25}}}, ProofLeaf{}}};
}

Certificate everything() {
  return {.instance = instance(),
          .compute_share = 0.625,
          .claimed_bound = 0.75,
          .claimed_by = "event, cbc 2.10.8",
          .parts = {walk(), windows()}};
}

TEST(CertificateFile, ReadsBackWhatWasWritten) {
  const Result<Certificate> back = parse_certificate(certificate_text(everything()), "c.json");
  ASSERT_TRUE(back.ok()) << to_string(back.error());
  EXPECT_EQ(*back, everything());
}

TEST(CertificateFile, ReadsBackOtherClaims) {
  Certificate none;
  none.claim = Claim::Infeasible;
  none.problem.emplace();
  none.problem->name = "p";
  none.problem->tensors.push_back({.name = "t", .size_bytes = 8});
  none.problem->operations.push_back({.name = "o", .inputs = {}, .outputs = {TensorId{0}}});
  Certificate least;
  least.claim = Claim::LeastRam;
  least.claimed_bytes = 1204;
  for (const Certificate& certificate : {none, least}) {
    const Result<Certificate> back = parse_certificate(certificate_text(certificate), "c.json");
    ASSERT_TRUE(back.ok()) << to_string(back.error());
    EXPECT_EQ(*back, certificate);
  }
}

TEST(CertificateFile, ReadsBackOneWithoutParts) {
  const Certificate empty;
  const Result<Certificate> back = parse_certificate(certificate_text(empty), "c.json");
  ASSERT_TRUE(back.ok()) << to_string(back.error());
  EXPECT_EQ(*back, empty);
}

// A short one, each piece of which is replaced by something wrong.
constexpr const char* kShort = R"({"format": "poet-certificate", "version": 1,
"instance": {"name": "three", "operations": 3, "tensors": 3, "ram_budget_bytes": 9,
 "time_mode": "overlapped", "objective": "energy", "paging_allowed": true, "rematerialisation_allowed": true},
"proof_time_mode": "free", "claimed_bound": 1.5, "claimed_by": "event",
"parts": [
{"kind": "walk", "cuts": [{"kind": "stored", "stage": 1, "absent": [], "divisor_bytes": 1, "multiplier": 1}],
 "events": [{"stage": 1, "operation": 1, "memory": 2, "uses": [[0, 1]], "outputs": [[1, -1]]}]},
{"kind": "windows", "keys": [1],
 "rows": [["memory", 1]],
 "columns": [["present", 1, 0]],
 "cuts": [{"rows": [[0, 1]], "divisor": 2}],
 "nodes": [{"column": 0, "zero": 1, "one": 2}, {"rows": [[0, 1]]}, {"cuts": [[0, 3]]}]}]})";

std::string error_with(const std::string& piece, const std::string& other) {
  std::string text = kShort;
  const std::size_t begin = text.find(piece);
  EXPECT_NE(begin, std::string::npos) << piece;
  text.replace(begin, piece.size(), other);
  const Result<Certificate> certificate = parse_certificate(text, "c.json");
  return certificate.ok() ? "no error" : to_string(certificate.error());
}

TEST(CertificateFile, ReadsAShortOne) {
  EXPECT_EQ(error_with("1.5", "1.25"), "no error");
}

TEST(CertificateFile, TakesAShareOfComputationOnlyWhereTransfersOverlap) {
  const std::string share = "\"claimed_bound\": 1.5";
  EXPECT_EQ(error_with(share, share + ", \"compute_share\": 0.5"), "no error");
  EXPECT_NE(error_with(share, share + ", \"compute_share\": 1.5").find("'compute_share'"),
            std::string::npos);
}

TEST(CertificateFile, TakesOfEachClaimWhatIsItsOwn) {
  const std::string bound = "\"claimed_bound\": 1.5";
  EXPECT_EQ(error_with(bound, "\"claim\": \"infeasible\""), "no error");
  EXPECT_EQ(error_with(bound, "\"claim\": \"least-ram\", \"claimed_bytes\": 9"), "no error");
  EXPECT_EQ(
      error_with(bound, "\"claim\": \"infeasible\", " + bound),
      "c.json:4:51: the certificate has no field 'claimed_bound'; did you mean 'claimed_by'?");
  EXPECT_NE(error_with(bound, "\"claim\": \"least-ram\""), "no error");
  EXPECT_NE(error_with(bound, "\"claim\": \"least-ram\", \"claimed_bytes\": -1"), "no error");
}

TEST(CertificateFile, RefusesAnotherFormatOrVersion) {
  EXPECT_EQ(error_with("poet-certificate", "poet-plan"),
            "c.json:1:12: 'format' must be \"poet-certificate\", found \"poet-plan\"");
  EXPECT_EQ(error_with("\"version\": 1", "\"version\": 2"),
            "c.json:1:43: version 2 of poet-certificate is not known here; version 1 is");
}

TEST(CertificateFile, RefusesAProofInAnotherTimeMode) {
  EXPECT_EQ(error_with("\"proof_time_mode\": \"free\"", "\"proof_time_mode\": \"blocking\""),
            "c.json:4:20: 'proof_time_mode' must be \"free\" for an instance whose time mode is "
            "'overlapped'");
}

TEST(CertificateFile, RefusesMultipliersBelowZero) {
  EXPECT_EQ(error_with("\"memory\": 2", "\"memory\": -2"),
            "c.json:7:52: 'memory' must be a number of at least 0, found -2");
  EXPECT_EQ(error_with("\"uses\": [[0, 1]]", "\"uses\": [[0, -1]]"),
            "c.json:7:68: 'uses' must be a number of at least 0, found -1");
  EXPECT_EQ(error_with("\"multiplier\": 1", "\"multiplier\": -1"),
            "c.json:6:106: 'multiplier' must be a number of at least 0, found -1");
  EXPECT_EQ(error_with("{\"rows\": [[0, 1]]}, {", "{\"rows\": [[0, -1]]}, {"),
            "c.json:12:62: 'rows' must be a number of at least 0, found -1");
  EXPECT_EQ(error_with("\"divisor\": 2", "\"divisor\": -2"),
            "c.json:11:41: 'divisor' must be a number of at least 0, found -2");
}

TEST(CertificateFile, RefusesNamesOfAnotherKindOrLength) {
  EXPECT_EQ(error_with("[\"memory\", 1]", "[\"memory\", 1, 2]"),
            "c.json:9:11: 'memory' takes 1 number, found 2");
  EXPECT_EQ(error_with("[\"present\", 1, 0]", "[\"present\", 1]"),
            "c.json:10:14: 'present' takes 2 numbers, found 1");
  EXPECT_EQ(error_with("\"memory\", 1]", "\"memry\", 1]"),
            "c.json:9:12: 'rows' must be need, making, copy, carry, memory, stays, crowded, "
            "crowded-need, crowded-later, crowded-reader, deadline, storage or writes, found "
            "\"memry\"; did you mean 'memory'?");
  EXPECT_EQ(error_with("[\"memory\", 1]", "[]"),
            "c.json:9:11: an entry of 'rows' must begin with its kind");
  EXPECT_EQ(error_with("\"present\", 1, 0", "\"present\", 1, -1"),
            "c.json:10:29: 'columns' must be a whole number from 0 to 2147483647, found -1");
}

TEST(CertificateFile, RefusesWhatIsNoPair) {
  EXPECT_EQ(error_with("\"outputs\": [[1, -1]]", "\"outputs\": [[1]]"),
            "c.json:7:85: an entry of 'outputs' must be a place and a number, as in [3, 0.5]");
  EXPECT_EQ(error_with("\"cuts\": [[0, 3]]", "\"cuts\": [0]"),
            "c.json:12:78: 'cuts' must be a list, found 0");
}

TEST(CertificateFile, RefusesFieldsItDoesNotKnow) {
  EXPECT_EQ(error_with("\"zero\": 1,", "\"zero\": 1, \"half\": 3,"),
            "c.json:12:37: a node has no field 'half'");
  EXPECT_EQ(error_with("\"keys\": [1],", ""), "c.json:8:1: a part must have 'keys'");
}

}  // namespace
}  // namespace poet
