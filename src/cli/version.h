// SPDX-License-Identifier: Apache-2.0
// The version, for `parvis version`, JSON answers and certificates.
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#define PARVIS_VERSION "0.1.0"

#endif
