// The application, long computations, files, edits.
#include <algorithm>

#include "api.h"

MH_MAYA_OPEN

static fake::Scene& scene() { return fake::Scene::get(); }
static fake::Host& host() { return fake::Host::get(); }

MGlobal::MMayaState MGlobal::mayaState(MStatus* status) {
    report(status, true);
    return host().batch ? kBatch : kInteractive;
}
int MGlobal::apiVersion() { return MAYA_YEAR * 10000; }
MString MGlobal::mayaVersion() { return text(MH_TEXT(MAYA_YEAR)); }
bool MGlobal::isYAxisUp(MStatus* status) {
    report(status, true);
    return scene().up_axis == 'y';
}
bool MGlobal::isZAxisUp(MStatus* status) {
    report(status, true);
    return scene().up_axis == 'z';
}
void MGlobal::displayInfo(const MString& text) { host().message('I', text.asUTF8()); }
void MGlobal::displayWarning(const MString& text) { host().message('W', text.asUTF8()); }
void MGlobal::displayError(const MString& text) { host().message('E', text.asUTF8()); }
MStatus MGlobal::getActiveSelectionList(MSelectionList& list, bool) {
    list.clear();
    for (const auto& item : scene().selection) {
        if (item.first.empty()) {
            list.add(Access::object(item.second));
        } else {
            MDagPath path;
            Access::path(path) = item.first;
            list.add(path, MObject::kNullObj);
        }
    }
    return MStatus();
}
MStatus MGlobal::setActiveSelectionList(const MSelectionList& list, ListAdjustment how) {
    std::vector<std::pair<fake::Path, fake::Node*>> items;
    if (how == kAddToList) items = scene().selection;
    for (unsigned i = 0; i < list.length(); ++i) {
        MDagPath path;
        MObject node, component;
        list.getDependNode(i, node);
        if (list.getDagPath(i, path, component)) items.push_back({Access::path(path), Access::node(node)});
        else items.push_back({fake::Path(), Access::node(node)});
    }
    scene().select(items);
    return MStatus();
}
MStatus MGlobal::clearSelectionList() {
    scene().select({});
    return MStatus();
}
MStatus MGlobal::getSelectionListByName(const MString& name, MSelectionList& list) {
    list.clear();
    return list.add(name);
}

static fake::Outcome run(const MString& command, bool undoable) {
    if (undoable) return host().run(command.asUTF8(), true);
    fake::Edits* recorder = scene().recorder;
    const fake::Outcome outcome = host().run(command.asUTF8(), false);
    scene().recorder = recorder;
    return outcome;
}
MStatus MGlobal::executeCommand(const MString& command, bool, bool undoable) { return status_of(run(command, undoable).ok); }
MStatus MGlobal::executeCommand(const MString& command, int& result, bool, bool undoable) {
    const fake::Outcome outcome = run(command, undoable);
    result = outcome.results.empty() ? 0 : std::atoi(outcome.results[0].c_str());
    return status_of(outcome.ok && outcome.results.size() == 1);
}
MStatus MGlobal::executeCommand(const MString& command, MString& result, bool, bool undoable) {
    const fake::Outcome outcome = run(command, undoable);
    result = text(outcome.results.empty() ? std::string() : outcome.results[0]);
    return status_of(outcome.ok);
}
MStatus MGlobal::executeCommand(const MString& command, MStringArray& result, bool, bool undoable) {
    const fake::Outcome outcome = run(command, undoable);
    for (const std::string& item : outcome.results) result.append(text(item));
    return status_of(outcome.ok);
}

using Clock = std::chrono::steady_clock;
static double milliseconds(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

MComputation::MComputation() : impl_(nullptr), own_(true) {}
MComputation::~MComputation() {}
void MComputation::beginComputation(bool, bool, bool) {
    host().computation = fake::Computation();
    host().computation.running = true;
    host().computation.last_poll = Clock::now();
}
bool MComputation::isInterruptRequested() {
    fake::Computation& computation = host().computation;
    const auto now = Clock::now();
    ++computation.polls;
    computation.longest_gap_ms = std::max(computation.longest_gap_ms, milliseconds(now - computation.last_poll));
    computation.last_poll = now;
    const std::string& wanted = host().esc_at;
    if (!computation.interrupted && !host().batch && !wanted.empty() && !computation.statuses.empty() &&
        computation.statuses.back().find(wanted) != std::string::npos) {
        computation.interrupted = true;
        computation.interrupt_time = now;
    }
    return computation.interrupted;
}
void MComputation::endComputation() {
    fake::Computation& computation = host().computation;
    computation.running = false;
    if (computation.interrupted) computation.stop_ms = milliseconds(Clock::now() - computation.interrupt_time);
}
MStatus MComputation::setProgressRange(int minimum, int maximum) {
    host().computation.minimum = minimum;
    host().computation.maximum = maximum;
    return status_of(minimum <= maximum);
}
MStatus MComputation::setProgress(int value) {
    host().computation.value = value;
    return status_of(value >= host().computation.minimum && value <= host().computation.maximum);
}
MStatus MComputation::setProgressStatus(const MString& text) {
    auto& statuses = host().computation.statuses;
    if (statuses.empty() || statuses.back() != text.asUTF8()) statuses.push_back(text.asUTF8());
    return MStatus();
}

MString MFileIO::currentFile() { return text(scene().file_name); }
MString MFileIO::fileType() { return text("mayaAscii"); }
bool MFileIO::isOpeningFile() { return false; }
bool MFileIO::isReadingFile() { return false; }

namespace {
struct Modifier {
    std::vector<std::function<bool()>> pending;
    fake::Edits done;
    bool undone = false;
};
Modifier& modifier(const MDGModifier& api) { return *Access::impl<Modifier>(api); }
MStatus later(const MDGModifier& api, bool ok, std::function<bool()> work) {
    if (!ok) return MStatus(MStatus::kInvalidParameter);
    modifier(api).pending.push_back(std::move(work));
    return MStatus();
}
/// Creations happen at once, so that the new object can be named in later operations; they are part of what
/// undoIt takes back all the same.
template <class Work> auto now(const MDGModifier& api, Work work) {
    fake::Edits* outer = scene().recorder;
    scene().recorder = &modifier(api).done;
    auto result = work();
    scene().recorder = outer;
    return result;
}
MStatus later_value(const MDGModifier& api, const MPlug& plug, fake::Value value) {
    const fake::Plug target = Access::plug(plug);
    return later(api, !target.null(), [target, value] {
        std::string error;
        const bool ok = scene().set(target, value, error);
        if (!ok) host().message('E', error);
        return ok;
    });
}
}  // namespace

MDGModifier::MDGModifier() : impl_(new Modifier), own_(true) {}
MDGModifier::~MDGModifier() { delete Access::impl<Modifier>(*this); }
MObject MDGModifier::createNode(const MString& type, MStatus* status) {
    const std::string wanted = type.asUTF8();
    const fake::NodeType* known = scene().type(wanted);
    fake::Node* node = known && !known->dag ? now(*this, [&] { return scene().create(wanted, "", nullptr); }) : nullptr;
    report(status, node != nullptr, MStatus::kInvalidParameter);
    return Access::object(node);
}
MStatus MDGModifier::deleteNode(const MObject& object) {
    fake::Node* node = Access::node(object);
    return later(*this, node != nullptr, [node] {
        if (!node->alive || node->locked || node->referenced) return false;
        scene().erase({node});
        return true;
    });
}
MStatus MDGModifier::renameNode(const MObject& object, const MString& name) {
    fake::Node* node = Access::node(object);
    const std::string wanted = name.asUTF8();
    return later(*this, node != nullptr, [node, wanted] {
        scene().rename(node, wanted);
        return true;
    });
}
MStatus MDGModifier::connect(const MPlug& source, const MPlug& destination) {
    const fake::Plug from = Access::plug(source), to = Access::plug(destination);
    return later(*this, !from.null() && !to.null(), [from, to] {
        std::string error;
        const bool ok = scene().connect(from, to, error);
        if (!ok) host().message('E', error);
        return ok;
    });
}
MStatus MDGModifier::disconnect(const MPlug&, const MPlug& destination) {
    const fake::Plug to = Access::plug(destination);
    return later(*this, !to.null(), [to] { return scene().disconnect(to); });
}
MStatus MDGModifier::newPlugValueBool(const MPlug& plug, bool value) { return later_value(*this, plug, fake::Value::of(fake::Kind::Bool, value)); }
MStatus MDGModifier::newPlugValueInt(const MPlug& plug, int value) { return later_value(*this, plug, fake::Value::of(fake::Kind::Int, value)); }
MStatus MDGModifier::newPlugValueFloat(const MPlug& plug, float value) { return later_value(*this, plug, fake::Value::of(fake::Kind::Float, value)); }
MStatus MDGModifier::newPlugValueDouble(const MPlug& plug, double value) { return later_value(*this, plug, fake::Value::of(fake::Kind::Double, value)); }
MStatus MDGModifier::newPlugValueString(const MPlug& plug, const MString& value) { return later_value(*this, plug, fake::Value::of(std::string(value.asUTF8()))); }
MStatus MDGModifier::commandToExecute(const MString& command) {
    const std::string line = command.asUTF8();
    return later(*this, true, [line] { return host().run(line, false).ok; });
}
MStatus MDGModifier::doIt() {
    Modifier& work = modifier(*this);
    if (work.undone) {
        for (fake::Edit& edit : work.done) edit.redo();
        work.undone = false;
    }
    fake::Edits* outer = scene().recorder;
    scene().recorder = &work.done;
    bool ok = true;
    std::vector<std::function<bool()>> pending;
    pending.swap(work.pending);
    for (auto& operation : pending) ok = ok && operation();
    scene().recorder = outer;
    scene().changed();
    return status_of(ok);
}
MStatus MDGModifier::undoIt() {
    Modifier& work = modifier(*this);
    if (work.undone) return MStatus(MStatus::kFailure);
    for (auto edit = work.done.rbegin(); edit != work.done.rend(); ++edit) edit->undo();
    work.undone = true;
    scene().changed();
    return MStatus();
}

MDagModifier::MDagModifier() {}
MDagModifier::~MDagModifier() {}
MObject MDagModifier::createNode(const MString& type, const MObject& parent, MStatus* status) {
    const std::string wanted = type.asUTF8();
    const fake::NodeType* known = scene().type(wanted);
    fake::Node* above = Access::node(parent);
    // A shape needs a transform; made here it would come out one level lower than asked for, as in the host.
    fake::Node* node = known && known->dag && (!known->shape || above) ? now(*this, [&] { return scene().create(wanted, "", above); }) : nullptr;
    report(status, node != nullptr, MStatus::kInvalidParameter);
    return Access::object(node);
}
MStatus MDagModifier::reparentNode(const MObject& object, const MObject& new_parent) {
    fake::Node *node = Access::node(object), *parent = Access::node(new_parent);
    return later(*this, node != nullptr, [node, parent] {
        scene().reparent(node, parent, false);
        return true;
    });
}

MH_MAYA_CLOSE
