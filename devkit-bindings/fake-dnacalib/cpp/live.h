// Which objects are alive: the stand-in ends the process when it is handed one that is not, and at the end when one is left.
#pragma once

namespace stand_in {

void born(const void* object, const char* kind);
void died(const void* object, const char* kind);
// `object` has to be alive for `purpose`.
void needs(const void* object, const char* kind, const char* purpose);

}  // namespace stand_in
