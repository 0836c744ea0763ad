// Year, names and visibility, for both flavours of the headers.
#pragma once

#ifndef MAYA_YEAR
#error "define MAYA_YEAR: 2024, 2025, 2026 or 2027"
#endif
#if MAYA_YEAR < 2024 || MAYA_YEAR > 2027
#error "MAYA_YEAR must be 2024, 2025, 2026 or 2027"
#endif

#define MH_JOIN_(a, b, c) a##b##c
#define MH_JOIN(a, b, c) MH_JOIN_(a, b, c)
#define MH_TEXT_(a) #a
#define MH_TEXT(a) MH_TEXT_(a)

// A year's namespace is one plain nested namespace; its tag does not change with the updates of that year.
#define MH_MAYA_NAMESPACE MH_JOIN(OpenMaya, MAYA_YEAR, 0000)
#define MH_MAYA_OPEN namespace Autodesk { namespace Maya { namespace MH_MAYA_NAMESPACE {
#define MH_MAYA_CLOSE }}}

#if defined(_WIN32)
#  define MH_PLUGIN_EXPORT __declspec(dllexport)
#  if defined(MH_BUILD_FAKE)
#    define MH_MAYA_API __declspec(dllexport)
#  else
#    define MH_MAYA_API __declspec(dllimport)
#  endif
#else
#  define MH_PLUGIN_EXPORT __attribute__((visibility("default")))
#  define MH_MAYA_API __attribute__((visibility("default")))
#endif

