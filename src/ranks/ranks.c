// SPDX-License-Identifier: Apache-2.0
// Loading the plug-in: see ranks.h. Its symbols are global, since the components that an MPI library loads by itself
// look for those of the library there.
#include "ranks/ranks.h"

#include <dlfcn.h>
#include <string.h>

ranks_job *ranks_load(const char *path, str *why) {
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void *symbol = library ? dlsym(library, RANKS_PLUGIN_ENTRY) : NULL;
    if (!symbol) {
        const char *text = dlerror();
        str_add(why, text ? text : "it is not a plug-in");
        return NULL;
    }
    ranks_entry enter;
    memcpy(&enter, &symbol, sizeof enter);
    ranks_job *r = enter();
    if (!r) str_add(why, "there is no job to join");
    return r;
}
