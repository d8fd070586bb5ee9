/* version.h - the version of all of Fairlead; CMakeLists.txt reads it here. */
#pragma once

#define FL_VERSION "0.1.0"
