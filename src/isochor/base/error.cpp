#include "isochor/base/error.h"

#include <utility>

namespace isochor {

Error::Error(Fault fault, std::string place, std::string problem, std::string remedy)
    : fault_(fault),
      place_(std::move(place)),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)) {
  message_ = place_ + ": " + problem_;
  if (!remedy_.empty()) message_ += "\n  to mend it: " + remedy_;
}

}  // namespace isochor
