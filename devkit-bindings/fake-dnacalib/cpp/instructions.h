// How tests tell the stand-in to fail: by the name of the DNA, or the new name of a mesh.
#pragma once

#include <string>

namespace stand_in {

// `fail <occasion> <code> <message>` sets that status, `throw <occasion> <message>` throws that as an exception of the
// standard library, `throw-number <occasion>` throws a number. Returns whether `name` was an instruction for `occasion`.
bool obey(const std::string& name, const std::string& occasion);

}  // namespace stand_in
