#include "shared/http_client/curl_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include <curl/curl.h>

/* Macros around the functions of the same names. */
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

enum { VERSION_MIN = 0x075700 }; /* CURLOPT_QUICK_EXIT */

#define FUNCTIONS(X)                                                                               \
    X(curl_easy_cleanup)                                                                           \
    X(curl_easy_getinfo)                                                                           \
    X(curl_easy_init)                                                                              \
    X(curl_easy_pause)                                                                             \
    X(curl_easy_setopt)                                                                            \
    X(curl_easy_strerror)                                                                          \
    X(curl_free)                                                                                   \
    X(curl_global_init)                                                                            \
    X(curl_multi_add_handle)                                                                       \
    X(curl_multi_assign)                                                                           \
    X(curl_multi_cleanup)                                                                          \
    X(curl_multi_info_read)                                                                        \
    X(curl_multi_init)                                                                             \
    X(curl_multi_remove_handle)                                                                    \
    X(curl_multi_setopt)                                                                           \
    X(curl_multi_socket_action)                                                                    \
    X(curl_slist_append)                                                                           \
    X(curl_slist_free_all)                                                                         \
    X(curl_url)                                                                                    \
    X(curl_url_cleanup)                                                                            \
    X(curl_url_get)                                                                                \
    X(curl_url_set)                                                                                \
    X(curl_url_strerror)                                                                           \
    X(curl_version_info)

struct library {
#define X(name) __typeof__(name) *name;
    FUNCTIONS(X)
#undef X
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct library curl; /* written once, under the lock */
static bool is_loaded;

/* ---- loading --------------------------------------------------------------------------------- */

static bool find_all(void *handle, const char *file, struct library *library, struct fl_err *err)
{
    static const char *const names[] = {
#define X(name) #name,
        FUNCTIONS(X)
#undef X
    };
    void *at[sizeof names / sizeof *names];

    _Static_assert(sizeof at == sizeof *library, "a function has one pointer");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        at[i] = dlsym(handle, names[i]);
        if (!at[i]) {
            fl_fail(err, FL_IO, "%s has no %s; install libcurl 7.87 or newer", file, names[i]);
            return false;
        }
    }
    memcpy(library, at, sizeof at);
    return true;
}

static bool is_usable(const struct library *library, const char *file, struct fl_err *err)
{
    const curl_version_info_data *version = library->curl_version_info(CURLVERSION_NOW);
    const char *tls = version->ssl_version ? version->ssl_version : "no TLS";

    if (version->version_num < VERSION_MIN) {
        return fl_fail(err, FL_IO, "%s is version %s; install libcurl 7.87 or newer", file,
                       version->version);
    }
    if (strncmp(tls, "OpenSSL/3", 9) != 0) { /* shared/tls works on its contexts */
        return fl_fail(err, FL_IO, "%s stands on %s; install a libcurl that stands on OpenSSL 3",
                       file, tls);
    }
    if (library->curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return fl_fail(err, FL_IO, "%s does not start", file);
    }
    return true;
}

static bool load(const char *file, struct fl_err *err)
{
    struct library library;
    void *handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL);

    if (!handle) {
        return fl_fail(err, FL_IO, "%s cannot be loaded (%s); install libcurl with OpenSSL", file,
                       dlerror());
    }
    if (!find_all(handle, file, &library, err) || !is_usable(&library, file, err)) {
        dlclose(handle);
        return false;
    }
    curl = library;
    return true;
}

bool fl_curl_load(const char *file, struct fl_err *err)
{
    pthread_mutex_lock(&lock);
    is_loaded = is_loaded || load(file, err);
    pthread_mutex_unlock(&lock);
    return is_loaded;
}

/* ---- the functions --------------------------------------------------------------------------- */

void curl_easy_cleanup(CURL *easy)
{
    curl.curl_easy_cleanup(easy);
}

/* Each result is written through a pointer. */
CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...)
{
    va_list args;
    void *result;

    va_start(args, info);
    result = va_arg(args, void *);
    va_end(args);
    return curl.curl_easy_getinfo(easy, info, result);
}

CURL *curl_easy_init(void)
{
    return curl.curl_easy_init();
}

CURLcode curl_easy_pause(CURL *easy, int bitmask)
{
    return curl.curl_easy_pause(easy, bitmask);
}

/* An option's number tells the type of its value, as in libcurl itself. */
CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...)
{
    CURLcode result;
    va_list args;

    va_start(args, option);
    if (option < CURLOPTTYPE_OBJECTPOINT) {
        result = curl.curl_easy_setopt(easy, option, va_arg(args, long));
    } else if (option >= CURLOPTTYPE_OFF_T && option < CURLOPTTYPE_BLOB) {
        result = curl.curl_easy_setopt(easy, option, va_arg(args, curl_off_t));
    } else {
        result = curl.curl_easy_setopt(easy, option, va_arg(args, void *));
    }
    va_end(args);
    return result;
}

const char *curl_easy_strerror(CURLcode code)
{
    return curl.curl_easy_strerror(code);
}

void curl_free(void *ptr)
{
    curl.curl_free(ptr);
}

CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy)
{
    return curl.curl_multi_add_handle(multi, easy);
}

CURLMcode curl_multi_assign(CURLM *multi, curl_socket_t fd, void *ctx)
{
    return curl.curl_multi_assign(multi, fd, ctx);
}

CURLMcode curl_multi_cleanup(CURLM *multi)
{
    return curl.curl_multi_cleanup(multi);
}

CURLMsg *curl_multi_info_read(CURLM *multi, int *ret_left)
{
    return curl.curl_multi_info_read(multi, ret_left);
}

CURLM *curl_multi_init(void)
{
    return curl.curl_multi_init();
}

CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy)
{
    return curl.curl_multi_remove_handle(multi, easy);
}

CURLMcode curl_multi_setopt(CURLM *multi, CURLMoption option, ...)
{
    CURLMcode result;
    va_list args;

    va_start(args, option);
    if (option < CURLOPTTYPE_OBJECTPOINT) {
        result = curl.curl_multi_setopt(multi, option, va_arg(args, long));
    } else {
        result = curl.curl_multi_setopt(multi, option, va_arg(args, void *));
    }
    va_end(args);
    return result;
}

CURLMcode curl_multi_socket_action(CURLM *multi, curl_socket_t fd, int events, int *ret_running)
{
    return curl.curl_multi_socket_action(multi, fd, events, ret_running);
}

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text)
{
    return curl.curl_slist_append(list, text);
}

void curl_slist_free_all(struct curl_slist *list)
{
    curl.curl_slist_free_all(list);
}

CURLU *curl_url(void)
{
    return curl.curl_url();
}

void curl_url_cleanup(CURLU *url)
{
    curl.curl_url_cleanup(url);
}

CURLUcode curl_url_get(CURLU *url, CURLUPart what, char **ret_part, unsigned int flags)
{
    return curl.curl_url_get(url, what, ret_part, flags);
}

CURLUcode curl_url_set(CURLU *url, CURLUPart what, const char *part, unsigned int flags)
{
    return curl.curl_url_set(url, what, part, flags);
}

const char *curl_url_strerror(CURLUcode code)
{
    return curl.curl_url_strerror(code);
}
