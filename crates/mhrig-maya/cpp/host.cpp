// What Rust may ask of Maya: copies arrays and texts, names nodes by path, nothing more.
#include "shim.h"

using namespace mhm;

MString from_view(MhText text) {
    MString string;
    char* copy = static_cast<char*>(malloc(text.size + 1));
    if (!copy) return string;
    for (size_t i = 0; i < text.size; ++i) copy[i] = text.data[i];
    copy[text.size] = 0;
    string.setUTF8(copy);
    free(copy);
    return string;
}

namespace {

const int32_t kDone = 0, kFailed = 1;
int32_t result_of(const MStatus& status) { return status ? kDone : kFailed; }

// Messages and arguments.

void display(int32_t level, MhText text) {
    MH_TRY {
        const MString message = from_view(text);
        if (level == 0) MGlobal::displayInfo(message);
        else if (level == 1) MGlobal::displayWarning(message);
        else MGlobal::displayError(message);
    }
    MH_CATCH_VOID
}
int32_t flag_is_set(const MhInvocation* invocation, const char* flag) {
    MH_TRY { return invocation->arguments.isFlagSet(flag); }
    MH_CATCH(0)
}
int32_t flag_bool(const MhInvocation* invocation, const char* flag, int32_t* value) {
    MH_TRY {
        bool on = false;
        const MStatus status = invocation->arguments.getFlagArgument(flag, 0, on);
        *value = on;
        return result_of(status);
    }
    MH_CATCH(kFailed)
}
int32_t flag_int(const MhInvocation* invocation, const char* flag, int32_t* value) {
    MH_TRY {
        int number = 0;
        const MStatus status = invocation->arguments.getFlagArgument(flag, 0, number);
        *value = number;
        return result_of(status);
    }
    MH_CATCH(kFailed)
}
int32_t flag_text(const MhInvocation* invocation, const char* flag, void* context, MhTextSink sink) {
    MH_TRY {
        MString text;
        const MStatus status = invocation->arguments.getFlagArgument(flag, 0, text);
        if (status) sink(context, view(text));
        return result_of(status);
    }
    MH_CATCH(kFailed)
}
int32_t send(MStringArray& texts, void* context, MhTextSink sink) {
    for (unsigned i = 0; i < texts.length(); ++i) sink(context, view(texts[i]));
    return kDone;
}
int32_t objects(const MhInvocation* invocation, void* context, MhTextSink sink) {
    MH_TRY {
        MStringArray names;
        const MStatus status = invocation->arguments.getObjects(names);
        return status ? send(names, context, sink) : kFailed;
    }
    MH_CATCH(kFailed)
}
void result_text(MhText text) {
    MH_TRY { MPxCommand::setResult(from_view(text)); }
    MH_CATCH_VOID
}
void result_texts(const MhText* texts, size_t count) {
    MH_TRY {
        for (size_t i = 0; i < count; ++i) MPxCommand::appendToResult(from_view(texts[i]));
    }
    MH_CATCH_VOID
}

// The application.

int32_t mel_texts(const char* command, void* context, MhTextSink sink) {
    MH_TRY {
        MStringArray results;
        const MStatus status = MGlobal::executeCommand(utf8(command), results, false, false);
        return status ? send(results, context, sink) : kFailed;
    }
    MH_CATCH(kFailed)
}
int32_t mel_text(const char* command, void* context, MhTextSink sink) {
    MH_TRY {
        MString result;
        const MStatus status = MGlobal::executeCommand(utf8(command), result, false, false);
        if (status) sink(context, view(result));
        return result_of(status);
    }
    MH_CATCH(kFailed)
}
void scene_file(void* context, MhTextSink sink) {
    MH_TRY { sink(context, view(MFileIO::currentFile())); }
    MH_CATCH_VOID
}
int32_t mel_int(const char* command, int32_t* result) {
    MH_TRY {
        int number = 0;
        const MStatus status = MGlobal::executeCommand(utf8(command), number, false, false);
        *result = number;
        return result_of(status);
    }
    MH_CATCH(kFailed)
}

// Nodes.

bool find(const char* path, MDagPath& found) {
    MSelectionList list;
    MObject component;
    return MGlobal::getSelectionListByName(utf8(path), list) && list.length() == 1 && list.getDagPath(0, found, component);
}
int32_t node(const char* path, uint32_t* kinds, void* context, MhTextSink type_name) {
    MH_TRY {
        *kinds = 0;
        MSelectionList list;
        MObject object, component;
        MDagPath found;
        if (!MGlobal::getSelectionListByName(utf8(path), list) || list.length() != 1 || !list.getDependNode(0, object)) return kFailed;
        MFnDependencyNode set(object);
        type_name(context, view(set.typeName()));
        if (object.hasFn(MFn::kMesh)) *kinds |= MH_MESH;
        if (object.hasFn(MFn::kTransform)) *kinds |= MH_TRANSFORM;
        if (list.getDagPath(0, found, component) && MFnDagNode(found).isIntermediateObject()) *kinds |= MH_INTERMEDIATE;
        return kDone;
    }
    MH_CATCH(kFailed)
}
int32_t shapes_below(const char* path, void* context, MhTextSink shape_path) {
    MH_TRY {
        MDagPath transform;
        unsigned int count = 0;
        if (!find(path, transform) || !transform.numberOfShapesDirectlyBelow(count)) return kFailed;
        for (unsigned int i = 0; i < count; ++i) {
            MDagPath shape(transform);
            if (shape.extendToShapeDirectlyBelow(i)) shape_path(context, view(shape.fullPathName()));
        }
        return kDone;
    }
    MH_CATCH(kFailed)
}
int32_t world_matrix(const char* path, double* rows) {
    MH_TRY {
        MDagPath found;
        if (!find(path, found)) return kFailed;
        const MMatrix matrix = found.inclusiveMatrix();
        for (unsigned int row = 0; row < 4; ++row)
            for (unsigned int column = 0; column < 4; ++column) rows[row * 4 + column] = matrix(row, column);
        return kDone;
    }
    MH_CATCH(kFailed)
}
/// Calls `work` with the plug; false when there is none.
template <class Work> bool with_plug(const char* path, const char* attribute, Work work) {
    MDagPath dag_path;
    if (!find(path, dag_path)) return false;
    MStatus status;
    MPlug plug = MFnDependencyNode(dag_path.node()).findPlug(utf8(attribute), true, &status);
    return status && !plug.isNull() && work(plug);
}
int32_t number(const char* path, const char* attribute, double* value) {
    MH_TRY {
        const bool done = with_plug(path, attribute, [&](const MPlug& plug) {
            MStatus status;
            *value = plug.asDouble(&status);
            return bool(status);
        });
        return done ? kDone : kFailed;
    }
    MH_CATCH(kFailed)
}

}  // namespace

// Meshes.

struct MhMeshHandle {
    MPointArray points;
    MIntArray face_sizes, corners, uv_sizes, uv_corners;
    MFloatArray u, v;
    bool has_uvs = false;
    MH_MALLOC_NEW
};

namespace {

MhMeshHandle* mesh_open(const char* path, MhMeshSizes* sizes) {
    MH_TRY {
        MDagPath found;
        MStatus status;
        if (!find(path, found)) return nullptr;
        MFnMesh mesh(found, &status);
        if (!status) return nullptr;
        MhMeshHandle* handle = new MhMeshHandle;
        if (!mesh.getPoints(handle->points, MSpace::kWorld) || !mesh.getVertices(handle->face_sizes, handle->corners)) {
            delete handle;
            return nullptr;
        }
        // The current set; a mesh without texture coordinates fails here and has none.
        handle->has_uvs = mesh.getUVs(handle->u, handle->v) && mesh.getAssignedUVs(handle->uv_sizes, handle->uv_corners) &&
                          handle->u.length() == handle->v.length() && handle->uv_sizes.length() == handle->face_sizes.length();
        sizes->points = handle->points.length();
        sizes->faces = handle->face_sizes.length();
        sizes->corners = handle->corners.length();
        sizes->uvs = handle->has_uvs ? handle->u.length() : 0;
        sizes->uv_corners = handle->has_uvs ? handle->uv_corners.length() : 0;
        return handle;
    }
    MH_CATCH(nullptr)
}
void copy(MIntArray& from, int32_t* to, size_t count) {
    for (size_t i = 0; i < count; ++i) to[i] = from[static_cast<unsigned int>(i)];
}
void mesh_read(MhMeshHandle* handle, const MhMeshArrays* arrays) {
    MH_TRY {
        for (unsigned int i = 0; i < handle->points.length(); ++i) {
            const MPoint& point = handle->points[i];
            arrays->points[i * 3] = point.x;
            arrays->points[i * 3 + 1] = point.y;
            arrays->points[i * 3 + 2] = point.z;
        }
        copy(handle->face_sizes, arrays->face_sizes, handle->face_sizes.length());
        copy(handle->corners, arrays->corners, handle->corners.length());
        if (!handle->has_uvs) return;
        for (unsigned int i = 0; i < handle->u.length(); ++i) {
            arrays->uvs[i * 2] = handle->u[i];
            arrays->uvs[i * 2 + 1] = handle->v[i];
        }
        copy(handle->uv_sizes, arrays->uv_sizes, handle->uv_sizes.length());
        copy(handle->uv_corners, arrays->uv_corners, handle->uv_corners.length());
    }
    MH_CATCH_VOID
}
void mesh_close(MhMeshHandle* handle) {
    MH_TRY { delete handle; }
    MH_CATCH_VOID
}

}  // namespace

// Edits.

struct MhEdits {
    MDGModifier modifier;
    MH_MALLOC_NEW
};

namespace {

MhEdits* edits_begin() {
    MH_TRY { return new MhEdits; }
    MH_CATCH(nullptr)
}
int32_t edits_number(MhEdits* edits, const char* path, const char* attribute, double value) {
    MH_TRY {
        const bool done =
            with_plug(path, attribute, [&](const MPlug& plug) { return bool(edits->modifier.newPlugValueDouble(plug, value)); });
        return done ? kDone : kFailed;
    }
    MH_CATCH(kFailed)
}
int32_t edits_mel(MhEdits* edits, const char* command) {
    MH_TRY { return result_of(edits->modifier.commandToExecute(utf8(command))); }
    MH_CATCH(kFailed)
}
int32_t edits_do(MhEdits* edits) {
    MH_TRY { return result_of(edits->modifier.doIt()); }
    MH_CATCH(kFailed)
}
int32_t edits_undo(MhEdits* edits) {
    MH_TRY { return result_of(edits->modifier.undoIt()); }
    MH_CATCH(kFailed)
}
void edits_end(MhEdits* edits) {
    MH_TRY { delete edits; }
    MH_CATCH_VOID
}

}  // namespace

// Bulk data of new nodes.

namespace {

void fill(MIntArray& array, const int32_t* values, size_t count) {
    for (size_t i = 0; i < count; ++i) array.append(values[i]);
}
bool set_normals(MFnMesh& mesh, const MhNewMesh* given) {
    if (given->normals == 0) return true;
    MVectorArray normals;
    MIntArray faces, vertices;
    for (size_t i = 0; i < given->normals; ++i) {
        const float* n = given->normal + i * 3;
        normals.append(MVector(n[0], n[1], n[2]));
    }
    fill(faces, given->normal_faces, given->normals);
    fill(vertices, given->normal_vertices, given->normals);
    return mesh.setFaceVertexNormals(normals, faces, vertices, MSpace::kObject);
}
int32_t mesh_create(const char* parent, const char* name, const MhNewMesh* given) {
    MH_TRY {
        MDagPath transform;
        if (!find(parent, transform)) return kFailed;
        MFloatPointArray points;
        for (size_t i = 0; i < given->points; ++i) {
            const float* p = given->positions + i * 3;
            points.append(MFloatPoint(p[0], p[1], p[2]));
        }
        MIntArray sizes, corners, uv_corners;
        fill(sizes, given->face_sizes, given->faces);
        fill(corners, given->face_corners, given->corners);
        MObject none;
        MStatus status;
        MFnMesh mesh(none);
        mesh.create(static_cast<int>(given->points), static_cast<int>(given->faces), points, sizes, corners, transform.node(), &status);
        if (!status) return kFailed;
        if (given->uvs != 0) {
            MFloatArray u, v;
            for (size_t i = 0; i < given->uvs; ++i) {
                u.append(given->uv[i * 2]);
                v.append(given->uv[i * 2 + 1]);
            }
            fill(uv_corners, given->uv_corners, given->corners);
            if (!mesh.setUVs(u, v) || !mesh.assignUVs(sizes, uv_corners)) return kFailed;
        }
        if (!set_normals(mesh, given)) return kFailed;
        mesh.setName(utf8(name), false, &status);
        return status ? result_of(mesh.setIntermediateObject(true)) : kFailed;
    }
    MH_CATCH(kFailed)
}
/// Full weight of a target, in Maya's numbering of in-between shapes.
const unsigned int kFullWeight = 6000;

bool node_named(const char* name, MObject& node) {
    MSelectionList list;
    return MGlobal::getSelectionListByName(utf8(name), list) && list.length() == 1 && list.getDependNode(0, node);
}
int32_t target_set(const char* blend_shape, uint32_t number, const MhShapeTarget* given) {
    MH_TRY {
        MObject node, none;
        if (!node_named(blend_shape, node)) return kFailed;
        MFnDependencyNode set(node);
        auto attribute = [&](const char* name) { return set.attribute(utf8(name)); };
        MObject groups = attribute("inputTargetGroup"), items = attribute("inputTargetItem");
        MObject points_of = attribute("inputPointsTarget"), vertices_of = attribute("inputComponentsTarget");
        MPlug item = set.findPlug(utf8("inputTarget"), true).elementByLogicalIndex(0);
        item = item.child(groups).elementByLogicalIndex(number).child(items).elementByLogicalIndex(kFullWeight);

        MStatus status;
        MPointArray deltas;
        MIntArray vertices;
        for (size_t i = 0; i < given->vertices; ++i) {
            const float* d = given->deltas + i * 3;
            deltas.append(MPoint(d[0], d[1], d[2]));
            vertices.append(static_cast<int>(given->indices[i]));
        }
        MFnPointArrayData points(none);
        const MObject point_data = points.create(deltas, &status);
        if (!status) return kFailed;
        MFnComponentListData list(none);
        const MObject list_data = list.create(&status);
        if (!status) return kFailed;
        if (given->vertices != 0) {
            MFnSingleIndexedComponent component(none);
            MObject elements = component.create(MFn::kMeshVertComponent, &status);
            if (!status || !component.addElements(vertices) || !list.add(elements)) return kFailed;
        }
        MPlug points_plug = item.child(points_of), vertices_plug = item.child(vertices_of);
        return points_plug.setMObject(point_data) ? result_of(vertices_plug.setMObject(list_data)) : kFailed;
    }
    MH_CATCH(kFailed)
}
int32_t skin_set(const char* skin, const char* shape, const MhSkinWeights* given) {
    MH_TRY {
        MObject node, none;
        MDagPath path;
        MStatus status;
        if (!node_named(skin, node) || !find(shape, path)) return kFailed;
        MFnSkinCluster cluster(node, &status);
        if (!status) return kFailed;
        MFnSingleIndexedComponent set(none);
        MObject vertices = set.create(MFn::kMeshVertComponent, &status);
        if (!status || !set.setCompleteData(static_cast<int>(given->vertices))) return kFailed;
        MIntArray columns;
        for (size_t i = 0; i < given->influences; ++i) columns.append(static_cast<int>(i));
        MDoubleArray weights(static_cast<unsigned>(given->vertices * given->influences), 0.0);
        for (size_t v = 0; v < given->vertices; ++v)
            for (uint32_t i = given->offsets[v]; i < given->offsets[v + 1]; ++i)
                weights[static_cast<unsigned>(v * given->influences + given->columns[i])] = given->weights[i];
        return result_of(cluster.setWeights(path, vertices, columns, weights, false));
    }
    MH_CATCH(kFailed)
}

}  // namespace

// Progress.

struct MhProgress {
    MComputation computation;
    MH_MALLOC_NEW
};

namespace {

MhProgress* progress_begin(int32_t maximum, int32_t show) {
    MH_TRY {
        MhProgress* progress = new MhProgress;
        progress->computation.beginComputation(show != 0, true, show != 0);
        progress->computation.setProgressRange(0, maximum);
        return progress;
    }
    MH_CATCH(nullptr)
}
void progress_set(MhProgress* progress, int32_t value, MhText status) {
    MH_TRY {
        progress->computation.setProgress(value);
        progress->computation.setProgressStatus(from_view(status));
    }
    MH_CATCH_VOID
}
int32_t progress_is_cancelled(MhProgress* progress) {
    MH_TRY { return progress->computation.isInterruptRequested(); }
    MH_CATCH(0)
}
void progress_end(MhProgress* progress) {
    MH_TRY {
        progress->computation.endComputation();
        delete progress;
    }
    MH_CATCH_VOID
}

}  // namespace

extern const MhHost kHost = {
    display,       flag_is_set, flag_bool,    flag_int,       flag_text,    objects,               result_text,
    result_texts,  mel_texts,   mel_text,     mel_int,        scene_file,   node,         shapes_below,          world_matrix,
    number,        mesh_open,   mesh_read,    mesh_close,     edits_begin,  edits_number,          edits_mel,    edits_do,
    edits_undo,    edits_end,   mesh_create,  target_set,     skin_set,     progress_begin,        progress_set, progress_is_cancelled,
    progress_end,
};
