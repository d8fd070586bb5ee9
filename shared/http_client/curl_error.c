#include "shared/http_client/curl_error.h"

void fl_curl_fail(struct fl_err *err, CURLcode result, const char *text,
                  const struct fl_curl_place *place)
{
    if (!text[0]) text = curl_easy_strerror(result);
    switch (result) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
        fl_fail(err, FL_DENIED, "the server's certificate: %s", text);
        break;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        fl_fail(err, FL_ABSENT, "%s", text);
        break;
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        if (place->proxy_status >= 300) {
            fl_fail(err, FL_UNAVAILABLE, "the proxy says %ld", place->proxy_status);
        } else {
            fl_fail(err, place->is_answering ? FL_TORN : FL_UNAVAILABLE, "%s", text);
        }
        break;
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
        fl_fail(err, FL_UNAVAILABLE, "%s", text);
        break;
    case CURLE_PARTIAL_FILE:
        fl_fail(err, FL_TORN, "the answer was cut off: %s", text);
        break;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9 */
    case CURLE_BAD_CONTENT_ENCODING:
        fl_fail(err, FL_TORN, "the answer is no HTTP: %s", text);
        break;
    case CURLE_OUT_OF_MEMORY: /* libcurl's word for a line over 100 KiB */
        fl_fail(err, FL_TOO_LARGE, "a line of the answer's head is too long");
        break;
    case CURLE_URL_MALFORMAT:
        fl_fail(err, FL_INVALID, "%s", text);
        break;
    default:
        fl_fail(err, FL_IO, "%s", text);
    }
}
