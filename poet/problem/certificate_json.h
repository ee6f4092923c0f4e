#pragma once

#include <string>
#include <string_view>

#include "poet/base/json_out.h"
#include "poet/base/result.h"
#include "poet/problem/certificate.h"

namespace poet {

// The format "poet-certificate", version 1 (docs/formats/certificate.md). What is 0 or empty is not
// written.
std::string certificate_text(const Certificate& certificate);

// Refuses what is not of the form, and multipliers below 0. Whether rows exist and what is proved
// is for the verifier to say, which knows the problem.
Result<Certificate> parse_certificate(std::string_view text, const std::string& file);
Result<Certificate> load_certificate(const std::string& path);

// A name as the format has it: ["need", 2, 7].
JsonOut name_to_json(const WindowRowName& name);
JsonOut name_to_json(const WindowColumnName& name);

}  // namespace poet
