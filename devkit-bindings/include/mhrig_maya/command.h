// Plug-in commands: their syntax, their arguments, their life.
#pragma once
#include "arrays.h"

MH_MAYA_OPEN

class MH_MAYA_API MArgList {
public:
    MArgList();
    ~MArgList();
    unsigned int length(MStatus* status = nullptr) const;
    MString asString(unsigned int index, MStatus* status = nullptr) const;
    MStatus addArg(const MString& argument);

private:
    friend struct MhFakeAccess;
    void* impl_;
    bool own_;
    MH_SPARE(4)
};

class MH_MAYA_API MSyntax {
public:
    enum MArgType {
        kInvalidArgType = 0,
        kNoArg,
        kBoolean,
        kLong,
        kDouble,
        kString,
        kUnsigned,
        kDistance,
        kAngle,
        kTime,
        kSelectionItem,
        kLastArgType
    };
    enum MObjectFormat { kInvalidObjectFormat = 0, kNone, kStringObjects, kSelectionList, kLastObjectFormat };

    MSyntax();
    MSyntax(const MSyntax& other);
    virtual ~MSyntax();
    MStatus addFlag(const char* short_name, const char* long_name, MArgType first = kNoArg,
                    MArgType second = kNoArg, MArgType third = kNoArg, MArgType fourth = kNoArg,
                    MArgType fifth = kNoArg, MArgType sixth = kNoArg);
    MStatus makeFlagMultiUse(const char* name);
    MStatus setObjectType(MObjectFormat format, unsigned int minimum);
    void useSelectionAsDefault(bool on);
    void enableQuery(bool on = true);
    void enableEdit(bool on = true);

private:
    friend struct MhFakeAccess;
    bool own_;
    void* impl_;
    MH_SPARE(4)
};

class MH_MAYA_API MArgParser {
public:
    MArgParser(const MSyntax& syntax, const MArgList& arguments, MStatus* status = nullptr);
    virtual ~MArgParser();
    bool isFlagSet(const char* flag, MStatus* status = nullptr) const;
    unsigned int numberOfFlagUses(const char* flag) const;
    MStatus getFlagArgumentList(const char* flag, unsigned int use, MArgList& arguments) const;
    MStatus getObjects(MStringArray& objects) const;

protected:
    friend struct MhFakeAccess;
    void* impl_;
    bool own_;
    MH_SPARE(4)
};

class MH_MAYA_API MArgDatabase : public MArgParser {
public:
    MArgDatabase(const MSyntax& syntax, const MArgList& arguments, MStatus* status = nullptr);
    ~MArgDatabase() override;
    MStatus getFlagArgument(const char* flag, unsigned int index, bool& value) const;
    MStatus getFlagArgument(const char* flag, unsigned int index, int& value) const;
    MStatus getFlagArgument(const char* flag, unsigned int index, double& value) const;
    MStatus getFlagArgument(const char* flag, unsigned int index, MString& value) const;
};

// The order of the virtual functions is the interface: seven slots, the destructor first. Maya destroys a command
// through the deleting destructor, so both allocation and release happen in the plug-in.
class MH_MAYA_API MPxCommand {
public:
    MPxCommand();
    virtual ~MPxCommand();
    virtual MStatus doIt(const MArgList& arguments);
    virtual MStatus undoIt();
    virtual MStatus redoIt();
    virtual bool isUndoable() const;
    virtual bool hasSyntax() const;
    MSyntax syntax() const;
    static void clearResult();
    static void setResult(int value);
    static void setResult(double value);
    static void setResult(const MString& value);
    static void setResult(const MStringArray& value);
    static void appendToResult(const MString& value);

private:
    friend struct MhFakeAccess;
    void* instance_;
    void* name_;
    MH_SPARE(4)
};

typedef void* (*MCreatorFunction)();
typedef MStatus (*MInitializeFunction)();
typedef MSyntax (*MCreateSyntaxFunction)();

MH_MAYA_CLOSE
