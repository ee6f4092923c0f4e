// Plans: making, reading, verifying, drawing and packing them, and their matrices as NumPy arrays.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>

#include "apps/cli/search_command.h"
#include "apps/cli/solve_flags.h"
#include "poet/ask/figures.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/plan_check.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/layout/layout_file.h"
#include "poet/plan/plan_file.h"
#include "poet/plan/released_matrices.h"
#include "poet/problem/certificate_json.h"
#include "poet/report/trace_file.h"
#include "poet/tell/check_text.h"
#include "poet/tell/inspect.h"
#include "poet/tell/report_files.h"
#include "poet/tell/report_json.h"
#include "poet/tell/summary_text.h"
#include "python/src/bindings.h"
#include "python/src/refusal.h"

namespace poet::python {
namespace {

// T x T numbers of 8 bytes, eight times: 4 GiB.
constexpr std::size_t kMostOperationsOfMatrices = 8192;

template <typename To, typename From>
py::array_t<To> matrix(const std::vector<std::vector<From>>& rows, std::size_t columns) {
  py::array_t<To> made({rows.size(), columns});
  auto cells = made.template mutable_unchecked<2>();
  for (std::size_t t = 0; t < rows.size(); ++t)
    for (std::size_t i = 0; i < columns; ++i)
      cells(static_cast<py::ssize_t>(t), static_cast<py::ssize_t>(i)) = static_cast<To>(rows[t][i]);
  return made;
}

py::array_t<std::int64_t> edge_array(const std::vector<ReleasedEdge>& edges) {
  py::array_t<std::int64_t> made({edges.size(), std::size_t{2}});
  auto cells = made.mutable_unchecked<2>();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    cells(static_cast<py::ssize_t>(e), 0) = static_cast<std::int64_t>(edges[e].from);
    cells(static_cast<py::ssize_t>(e), 1) = static_cast<std::int64_t>(edges[e].to);
  }
  return made;
}

ReleasedMatrices matrices_of(const Plan& plan) {
  if (plan.problem.operations.size() > kMostOperationsOfMatrices)
    throw Refusal{bad_input(
        "matrices of " + grouped_digits(static_cast<std::int64_t>(plan.problem.operations.size())) +
        " operations would not fit into memory; they are made of up to " +
        grouped_digits(kMostOperationsOfMatrices) + ", and the plan's actions say the same")};
  const Replay replayed = replay(plan.problem, plan.schedule);
  if (!replayed.valid())
    throw Refusal{bad_input("the plan has no matrices, because it breaks a rule: " +
                            replayed.findings.front().message)};
  return released_matrices(plan.problem, plan.schedule, replayed,
                           plan.origin.graph == "released" ? LossEdge::Twice : LossEdge::Once);
}

py::dict matrices(const Plan& plan) {
  const ReleasedMatrices made = [&plan] {
    const py::gil_scoped_release unlocked;
    return matrices_of(plan);
  }();
  const std::size_t stages = made.r.size();
  py::dict arrays;
  arrays["R"] = matrix<std::int64_t>(made.r, stages);
  arrays["SRam"] = matrix<std::int64_t>(made.s_ram, stages);
  arrays["SSd"] = matrix<std::int64_t>(made.s_sd, stages);
  arrays["Min"] = matrix<std::int64_t>(made.m_in, stages);
  arrays["Mout"] = matrix<std::int64_t>(made.m_out, stages);
  arrays["FreeE"] = matrix<std::int64_t>(made.free_e, made.edges.size());
  arrays["U"] = matrix<double>(made.u_bytes, stages);
  arrays["edges"] = edge_array(made.edges);
  return arrays;
}

using SharedReport = std::shared_ptr<PlanReport>;
using SharedPlan = std::shared_ptr<Plan>;

SharedReport solve(const Words& words, const py::object& progress) {
  cli::SolveFlags flags = or_refuse(cli::read_search_flags("solve", cli::solve_option_rows, words));
  or_refuse(cli::check_targets(flags));
  stay_in_place(flags.certificate_path);
  const Question question = question_of(flags.request);
  SharedReport report = std::make_shared<PlanReport>(
      beside(flags.request.time_limit_s, [&](const Stop& stop, const Post& post) {
        return or_refuse(make_plan(question, stop, progress_sink(progress, stop, post)));
      }));
  if (flags.certificate_path && report->solve.certificate)
    or_refuse(
        write_text_file(*flags.certificate_path, certificate_text(*report->solve.certificate)));
  return report;
}

py::list files_of(const std::vector<ReportFile>& files) {
  py::list list;
  for (const ReportFile& file : files) list.append(py::make_tuple(file.name, file.text));
  return list;
}

// A pipe would hold up this thread, and a device has no end.
SharedPlan load_plan_file(const Text& path) {
  const py::gil_scoped_release unlocked;
  or_refuse(require_regular_file(path));
  return std::make_shared<Plan>(or_refuse(load_plan(path)));
}

SharedPlan read_plan(const Text& text, const Text& name) {
  return std::make_shared<Plan>(or_refuse(parse_plan(text, name)));
}

py::str check_json(const Plan& plan, const std::optional<Text>& certificate_path) {
  PlanCheck check = check_plan(plan, std::nullopt);
  if (certificate_path) {
    or_refuse(require_regular_file(*certificate_path));
    const std::string text = or_refuse(read_text_file(*certificate_path));
    check_certificate(check, or_refuse(parse_certificate(text, *certificate_path)));
  }
  return json_text(check_to_json(check));
}

// The actions as (verb, number of the operation or tensor, its name).
py::list actions_of(const Plan& plan) {
  py::list list;
  const auto add = [&list](const char* verb, std::size_t id, const std::string& name) {
    list.append(py::make_tuple(verb, id, name));
  };
  for (const Action& action : plan.schedule.actions) {
    if (const Compute* const compute = std::get_if<Compute>(&action))
      add("compute", index_of(compute->operation),
          at(plan.problem.operations, compute->operation).name);
    else if (const PageOut* const out = std::get_if<PageOut>(&action))
      add("page_out", index_of(out->tensor), at(plan.problem.tensors, out->tensor).name);
    else if (const PageIn* const in = std::get_if<PageIn>(&action))
      add("page_in", index_of(in->tensor), at(plan.problem.tensors, in->tensor).name);
    else if (const Drop* const drop = std::get_if<Drop>(&action))
      add("drop", index_of(drop->tensor), at(plan.problem.tensors, drop->tensor).name);
  }
  return list;
}

// RAM in use while each action runs, in bytes.
py::array_t<std::int64_t> ram_of(const Plan& plan) {
  const Replay replayed = replay(plan.problem, plan.schedule);
  py::array_t<std::int64_t> made(static_cast<py::ssize_t>(replayed.moments.size()));
  auto cells = made.mutable_unchecked<1>();
  for (std::size_t a = 0; a < replayed.moments.size(); ++a)
    cells(static_cast<py::ssize_t>(a)) = replayed.moments[a].ram_bytes;
  return made;
}

py::tuple lay_out(const Plan& plan, std::int64_t alignment_bytes) {
  const Layout layout =
      beside(std::numeric_limits<double>::infinity(), [&](const Stop& stop, const Post&) {
        return or_refuse(make_layout(plan, {.alignment_bytes = alignment_bytes, .stop = stop}));
      });
  return py::make_tuple(json_text(layout_to_json(layout)), laid_out_plan_text(plan, layout));
}

}  // namespace

PyObject* called_at_news(const py::object& callback, const char* name) {
  if (callback.is_none()) return nullptr;
  const py::gil_scoped_acquire held;  // sinks are made where the work is done
  if (PyCallable_Check(callback.ptr()) == 0)
    throw Refusal{bad_input(std::string(name) +
                            ": expected what can be called with a dict, found " +
                            std::string(py::str(py::type::of(callback).attr("__name__"))))};
  return callback.ptr();
}

ProgressSink progress_sink(const py::object& callback, const Stop& stop, const Post& post) {
  // The work holds no Python object: only the thread that waits for it touches this one.
  PyObject* const called = called_at_news(callback);
  if (called == nullptr) return {};
  return [called, stop, post](const SolveProgress& news) {
    if (news.search_unit) return;
    const double elapsed_s = stop.now_s();
    post([called, elapsed_s, news, phase = std::string(news.phase)] {
      py::dict said;
      said["phase"] = phase;
      said["incumbent"] = news.incumbent;
      said["bound"] = news.bound;
      said["events"] = news.events;
      said["nodes"] = news.nodes;
      said["elapsed_s"] = elapsed_s;
      py::reinterpret_borrow<py::object>(called)(said);
    });
  };
}

void add_plans(py::module_& module) {
  py::class_<Plan, SharedPlan>(module, "Plan")
      .def("text", &plan_text)
      .def("check_json", &check_json, py::arg("certificate_path") = py::none())
      .def("describe",
           [](const Plan& plan) { return describe_plan(check_plan(plan, std::nullopt)).text; })
      .def("matrices", &matrices)
      .def("actions", &actions_of)
      .def("ram_bytes", &ram_of)
      .def("lay_out", &lay_out)
      .def("page", [](const Plan& plan) { return plan_page(plan); })
      .def("write_trace",
           [](const Plan& plan, const Text& path) {
             or_refuse(write_trace(path, plan_trace(plan, replay(plan.problem, plan.schedule))));
           })
      .def("plots", [](const Plan& plan) { return files_of(plan_plot_files(plan)); })
      .def_property_readonly("command", [](const Plan& plan) { return plan.origin.command; })
      .def_property_readonly("model", [](const Plan& plan) { return plan.origin.model; })
      .def_property_readonly("platform", [](const Plan& plan) { return plan.origin.platform; })
      .def_property_readonly("graph", [](const Plan& plan) { return plan.origin.graph; })
      .def_property_readonly("status", [](const Plan& plan) { return plan.proof.status; })
      .def("__eq__", [](const Plan& plan, const Plan& other) { return plan == other; });
  module.def("read_plan", &read_plan);
  module.def("load_plan", &load_plan_file);

  py::class_<PlanReport, SharedReport>(module, "Report")
      .def("json", [](const PlanReport& report) { return json_text(report_to_json(report)); })
      .def("text", &summary_text)
      .def("plan",
           [](const PlanReport& report) {
             return report.plan ? std::make_shared<Plan>(*report.plan) : SharedPlan();
           })
      .def("page", [](const PlanReport& report) { return report_page(report); })
      .def("plots", [](const PlanReport& report) { return files_of(plot_files(report)); })
      .def("graph_text",
           [](const PlanReport& report) { return describe_graph(report.problem).text; })
      .def("costs_text",
           [](const PlanReport& report) { return describe_costs(report.problem).text; });
  module.def("solve", &solve);
}

}  // namespace poet::python
