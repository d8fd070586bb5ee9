#include "controlplane/views/views.h"

#include "controlplane/views/directory.h"
#include "controlplane/views/join_view.h"
#include "controlplane/views/token_table.h"
#include "shared/base/alloc.h"

struct views *views_create(void)
{
    struct views *views = fl_new(struct views);

#define VIEW(name, type) views->name = type##_create();
#include "controlplane/views/views.def"
#undef VIEW
    return views;
}

void views_destroy(struct views *views)
{
    if (!views) return;
#define VIEW(name, type) type##_destroy(views->name);
#include "controlplane/views/views.def"
#undef VIEW
    fl_free(views);
}

void views_apply(struct views *views, const struct row *row)
{
#define VIEW(name, type) type##_apply(views->name, row);
#include "controlplane/views/views.def"
#undef VIEW
}

void views_refill_begin(struct views *views)
{
#define VIEW(name, type) type##_refill_begin(views->name);
#include "controlplane/views/views.def"
#undef VIEW
}

void views_refill_row(struct views *views, const struct row *row)
{
#define VIEW(name, type) type##_refill_row(views->name, row);
#include "controlplane/views/views.def"
#undef VIEW
}

void views_refill_end(struct views *views)
{
#define VIEW(name, type) type##_refill_end(views->name);
#include "controlplane/views/views.def"
#undef VIEW
}
