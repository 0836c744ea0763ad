// The version says that this is not the library.
#pragma once

#include "stand_in/views.h"

namespace dnac {

using dna::StringView;

struct VersionInfo {
    static StringView getVersionString();
};

}  // namespace dnac
