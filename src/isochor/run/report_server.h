#pragma once

#include "isochor/base/local_server.h"
#include "isochor/run/run_directory.h"

namespace isochor::run {

/// What a browser gets that asks for a file of a run; "/" is the report. Refused are requests under
/// another name than that of this machine, or from a page of another origin: a foreign page must
/// not read a run by way of the user's browser. So are paths that lead out of the run, also by way
/// of links.
HttpResponse answer_request(const RunDirectory& directory, int port, const HttpRequest& request);

}  // namespace isochor::run
