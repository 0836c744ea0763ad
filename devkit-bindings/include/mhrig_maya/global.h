// The application: messages, selection, axes, commands, long computations.
#pragma once
#include "dag.h"

MH_MAYA_OPEN

class MH_MAYA_API MGlobal {
public:
    enum ListAdjustment { kReplaceList = 0, kXORWithList, kAddToList, kRemoveFromList, kAddToHeadOfList };
    enum MMayaState { kInteractive = 0, kBatch, kLibraryApp, kBaseUIMode };

    static MMayaState mayaState(MStatus* status = nullptr);
    static int apiVersion();
    static MString mayaVersion();
    static bool isYAxisUp(MStatus* status = nullptr);
    static bool isZAxisUp(MStatus* status = nullptr);
    static void displayInfo(const MString& text);
    static void displayWarning(const MString& text);
    static void displayError(const MString& text);
    static MStatus getActiveSelectionList(MSelectionList& list, bool ordered = false);
    static MStatus setActiveSelectionList(const MSelectionList& list, ListAdjustment how = kReplaceList);
    static MStatus clearSelectionList();
    static MStatus getSelectionListByName(const MString& name, MSelectionList& list);
    static MStatus executeCommand(const MString& command, bool echo = false, bool undoable = false);
    static MStatus executeCommand(const MString& command, int& result, bool echo = false, bool undoable = false);
    static MStatus executeCommand(const MString& command, MString& result, bool echo = false,
                                  bool undoable = false);
    static MStatus executeCommand(const MString& command, MStringArray& result, bool echo = false,
                                  bool undoable = false);

private:
    MGlobal();
};

// Progress and Esc. Shown in the main progress bar where there is one; silent in batch.
class MH_MAYA_API MComputation {
public:
    MComputation();
    virtual ~MComputation();
    void beginComputation(bool show_progress_bar = false, bool interruptible = true, bool wait_cursor = true);
    bool isInterruptRequested();
    void endComputation();
    MStatus setProgressRange(int minimum, int maximum);
    MStatus setProgress(int value);
    MStatus setProgressStatus(const MString& text);

private:
    friend struct MhFakeAccess;
    void* impl_;
    bool own_;
    MH_SPARE(4)
};

class MH_MAYA_API MFileIO {
public:
    static MString currentFile();
    static MString fileType();
    static bool isOpeningFile();
    static bool isReadingFile();

private:
    MFileIO();
};

MH_MAYA_CLOSE
