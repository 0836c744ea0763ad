// The node types of the plug-in.
#pragma once
#include "shim.h"

// In the range that Maya leaves to each studio for nodes of its own.
#define MHRIG_NODE_ID 0x0007a3d1

mhm::MStatus register_nodes(mhm::MFnPlugin& plugin);
mhm::MStatus deregister_nodes(mhm::MFnPlugin& plugin);
