#include "controlplane/tunnel/listener_credentials.h"

#include <fcntl.h>

#include <openssl/ssl.h>

#include "shared/base/buf.h"
#include "shared/io/file.h"
#include "shared/tls/ca.h"
#include "shared/tls/context.h"

static bool read_text(const char *path, struct fl_buf *text, struct fl_err *err)
{
    fl_buf_init(text, FL_CERT_PEM_MAX);
    return fl_file_read(AT_FDCWD, path, text, err) || fl_err_wrap(err, "%s", path);
}

static struct fl_str view(const struct fl_buf *text)
{
    return (struct fl_str){(const char *)text->at, text->len};
}

bool listener_credentials_check(const struct listener_files *files, struct fl_err *err)
{
    struct fl_buf cert = {0}, key = {0}, ca = {0};
    SSL_CTX *tls = NULL;
    bool is_good = read_text(files->certificate, &cert, err) && read_text(files->key, &key, err) &&
                   read_text(files->ca, &ca, err);

    if (is_good) {
        is_good = fl_tls_server(&(struct fl_tls_server){.cert_pem = view(&cert),
                                                        .key_pem = view(&key),
                                                        .client_ca_pem = view(&ca),
                                                        .is_13_only = true},
                                &tls, err);
    }
    SSL_CTX_free(tls);
    fl_buf_fini(&cert);
    fl_buf_fini(&key);
    fl_buf_fini(&ca);
    return is_good;
}
