/* version.h - the version of this build, one word for program, API and docs. */
#pragma once

#define FAIRLEAD_VERSION "0.1.0"
