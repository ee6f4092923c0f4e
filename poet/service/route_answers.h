#pragma once

#include "poet/service/routes.h"

namespace poet {

// What the routes answer (docs/formats/service.md), by file.

// job_routes.cc
HttpResponse post_plan(Service& service, const RoutedRequest& request);
HttpResponse post_curve(Service& service, const RoutedRequest& request);
HttpResponse list_plans(Service& service, const RoutedRequest& request);
HttpResponse get_plan(Service& service, const RoutedRequest& request);
HttpResponse delete_plan(Service& service, const RoutedRequest& request);
HttpResponse get_events(Service& service, const RoutedRequest& request);

// plan_file_routes.cc
HttpResponse get_plan_file(Service& service, const RoutedRequest& request);
HttpResponse get_report(Service& service, const RoutedRequest& request);
HttpResponse get_step(Service& service, const RoutedRequest& request);
HttpResponse get_explain(Service& service, const RoutedRequest& request);
HttpResponse get_project(Service& service, const RoutedRequest& request);

// model_routes.cc
HttpResponse list_models(Service& service, const RoutedRequest& request);
HttpResponse post_model(Service& service, const RoutedRequest& request);
HttpResponse get_model(Service& service, const RoutedRequest& request);
HttpResponse delete_model(Service& service, const RoutedRequest& request);
HttpResponse list_devices(Service& service, const RoutedRequest& request);

// released_route.cc
HttpResponse get_solve(Service& service, const RoutedRequest& request);

// training_routes.cc
HttpResponse get_trainings(Service& service, const RoutedRequest& request);
HttpResponse get_training_events(Service& service, const RoutedRequest& request);

// page_routes.cc
HttpResponse get_page(Service& service, const RoutedRequest& request);
HttpResponse get_health(Service& service, const RoutedRequest& request);
HttpResponse get_metrics(Service& service, const RoutedRequest& request);
HttpResponse get_openapi(Service& service, const RoutedRequest& request);

// How often a request that waits for a job looks whether its client is still there.
constexpr double kLookForClientS = 0.5;

// To one for whom there is no place to wait (WaitingPlaces): 503, with what does not wait.
HttpResponse no_place_to_wait(const std::string& instead);

// Fields of the query that a route's `query` names.
const std::vector<RequestField>& list_fields();
const std::vector<RequestField>& delete_fields();
const std::vector<RequestField>& upload_fields();
const std::vector<RequestField>& size_fields();
const std::vector<RequestField>& released_fields();

}  // namespace poet
