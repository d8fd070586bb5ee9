#include "controlplane/http/socket.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/io/loop.h"

bool http_socket_init(struct http_socket *socket, int fd, struct ssl_ctx_st *tls)
{
    *socket = (struct http_socket){.fd = fd};
    if (!tls) return true;
    socket->ssl = SSL_new(tls);
    if (socket->ssl && SSL_set_fd(socket->ssl, fd)) {
        SSL_set_accept_state(socket->ssl);
        return true;
    }
    ERR_clear_error();
    http_socket_fini(socket);
    return false;
}

void http_socket_fini(struct http_socket *socket)
{
    SSL_free(socket->ssl);
    if (socket->fd >= 0) close(socket->fd);
    *socket = (struct http_socket){.fd = -1};
}

/* The meaning of an OpenSSL call's 'result'.  Leaves the thread's error queue empty: else the next
 * connection would find it. */
static enum http_io ended(struct http_socket *socket, int result)
{
    int why = SSL_get_error(socket->ssl, result);

    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
        socket->wants = why == SSL_ERROR_WANT_READ ? FL_WATCH_READ : FL_WATCH_WRITE;
        return HTTP_IO_AGAIN;
    }
    ERR_clear_error();
    return why == SSL_ERROR_ZERO_RETURN ? HTTP_IO_END : HTTP_IO_BROKEN;
}

enum http_io http_socket_handshake(struct http_socket *socket)
{
    int result = SSL_do_handshake(socket->ssl);

    return result == 1 ? HTTP_IO_DONE : ended(socket, result);
}

enum http_io http_socket_read(struct http_socket *socket, void *to, size_t bytes_max, size_t *ret_n)
{
    ssize_t n;

    socket->has_more = false;
    if (socket->ssl) {
        if (SSL_read_ex(socket->ssl, to, bytes_max, ret_n) != 1) return ended(socket, 0);
        socket->has_more = SSL_has_pending(socket->ssl);
        return HTTP_IO_DONE;
    }
    do {
        n = recv(socket->fd, to, bytes_max, 0);
    } while (n < 0 && errno == EINTR);
    if (n > 0) {
        *ret_n = (size_t)n;
        return HTTP_IO_DONE;
    }
    if (n == 0) return HTTP_IO_END;
    socket->wants = FL_WATCH_READ;
    return errno == EAGAIN || errno == EWOULDBLOCK ? HTTP_IO_AGAIN : HTTP_IO_BROKEN;
}

enum http_io http_socket_write(struct http_socket *socket, const void *from, size_t bytes,
                               size_t *ret_n)
{
    ssize_t n;

    if (socket->ssl) {
        if (SSL_write_ex(socket->ssl, from, bytes, ret_n) == 1) return HTTP_IO_DONE;
        return ended(socket, 0);
    }
    do {
        n = send(socket->fd, from, bytes, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    if (n >= 0) {
        *ret_n = (size_t)n;
        return HTTP_IO_DONE;
    }
    socket->wants = FL_WATCH_WRITE;
    return errno == EAGAIN || errno == EWOULDBLOCK ? HTTP_IO_AGAIN : HTTP_IO_BROKEN;
}

void http_socket_shut(struct http_socket *socket)
{
    if (socket->ssl && SSL_is_init_finished(socket->ssl)) {
        SSL_shutdown(socket->ssl); /* sends close_notify if it fits, and does not wait for theirs */
        ERR_clear_error();
    }
    shutdown(socket->fd, SHUT_WR);
}

enum http_io http_socket_discard(struct http_socket *socket, size_t *bytes)
{
    char spilt[4096];

    for (unsigned reads = 0; reads < 4; reads++) { /* others have their turn */
        ssize_t n = recv(socket->fd, spilt, sizeof spilt, 0);

        if (n == 0) return HTTP_IO_END;
        if (n < 0) {
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? HTTP_IO_AGAIN
                                                                             : HTTP_IO_BROKEN;
        }
        *bytes += (size_t)n;
    }
    return HTTP_IO_AGAIN;
}
