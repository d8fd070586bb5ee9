/* POST /v1/enrol: an agent shows a join token and a request for a certificate, and is a member.
 * In this order: the cheap checks, the join token, the request's signature, the core; so a stranger
 * without a token costs neither a signature nor the core's time.  The one route without an API
 * token: the secret in the body admits its caller, and the core lets each secret admit once. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/identity/identity.h"
#include "controlplane/views/join_view.h"
#include "controlplane/views/views.h"
#include "shared/tls/base64.h"
#include "shared/tls/digest.h"

enum { SECRET_BYTES = 32, UID_BYTES_MAX = 64, PEM_BYTES_MAX = 2 * FL_CERT_PEM_MAX };

static void enrolled(struct api_call *call, const struct core_answer *answer)
{
    struct fl_str *csr_pem = call->state;
    struct identity_issued issued;
    struct fl_csr csr = {0};
    struct fl_uuid uuid;
    struct fl_buf pem;
    struct fl_err err = {0};
    bool is_issued;

    fl_buf_init(&pem, PEM_BYTES_MAX);
    is_issued = fl_csr_read(*csr_pem, &csr, &err) &&
                fl_uuid_parse(fl_str_c(answer->uuid), &uuid, &err) &&
                identity_issue(call->parts->identity, &csr, uuid, answer->generation, call->wall,
                               &pem, &issued, &err);
    fl_csr_fini(&csr);
    if (is_issued) {
        struct fl_json_out *json = api_json(call);

        fl_json_open(json, NULL, '{');
        fl_json_put_cstr(json, "cluster", answer->name);
        fl_json_put_cstr(json, "id", answer->uuid);
        fl_json_put_u64(json, "generation", answer->generation);
        fl_json_put_str(json, "certificate", (struct fl_str){(const char *)pem.at, pem.len});
        fl_json_put_str(json, "ca", identity_ca_pem(call->parts->identity));
        fl_json_put_time(json, "renewAt", issued.renew_at);
        fl_json_close(json, '}');
        api_answer(call);
    } else {
        api_fail(call, FL_IO, "the certificate could not be made: %s", err.text);
    }
    fl_buf_fini(&pem);
}

static bool member_text(struct api_call *call, const struct fl_json *body, const char *name,
                        size_t bytes_max, struct fl_str *ret_text)
{
    const struct fl_json *member = fl_json_member(body, fl_str_c(name));

    if (member && member->kind == FL_JSON_STRING && member->text.len > 0 &&
        member->text.len <= bytes_max && fl_str_is_text(member->text)) {
        *ret_text = member->text;
        return true;
    }
    api_fail_at(call, fl_arena_printf(&call->arena, "/%s", name), "this must be a text",
                (struct fl_str){0}, fl_arena_printf(&call->arena, "1 to %zu bytes", bytes_max));
    return false;
}

/* False: it was answered.  'ret_token' is the secret's digest. */
static bool is_token_known(struct api_call *call, struct fl_str text, struct fl_digest *ret_token)
{
    uint8_t secret[SECRET_BYTES];
    struct fl_err err = {0};
    enum join_known known = JOIN_UNKNOWN;

    if (fl_base64_parse(text, secret, sizeof secret, &err)) {
        *ret_token = fl_sha256(secret, sizeof secret);
        fl_secret_wipe(secret, sizeof secret);
        known = join_view_find(call->parts->views->joins, ret_token);
    }
    switch (known) {
    case JOIN_KNOWN:
        return true;
    case JOIN_NOT_READ:
        api_fail_status(call, 503, FL_UNAVAILABLE, "join tokens are being read, ask again");
        return false;
    case JOIN_UNKNOWN:
        break;
    }
    api_fail(call, FL_DENIED,
             "the join token is wrong, already used or expired; make a new one with 'fairlead "
             "cluster join NAME'");
    return false;
}

static void enrol(struct api_call *call)
{
    struct fl_str *csr_pem = fl_arena_new(&call->arena, struct fl_str);
    const struct fl_json *body =
        api_body_json(call, false); /* NULL: answered, and the call is gone */
    struct fl_str token, uid;
    struct fl_digest digest;
    char uuid[FL_UUID_TEXT_MAX];
    struct engine_event *event;
    struct fl_csr csr = {0};
    struct fl_err err = {0};

    if (!body || !member_text(call, body, "token", 64, &token) ||
        !member_text(call, body, "uid", UID_BYTES_MAX, &uid) ||
        !member_text(call, body, "csr", FL_CSR_BYTES_MAX, csr_pem)) {
        return;
    }
    if (!is_token_known(call, token, &digest)) return;
    if (!fl_csr_read(*csr_pem, &csr, &err)) {
        api_fail_at(call, "/csr", err.text, (struct fl_str){0}, "a PKCS #10 request as PEM");
        return;
    }
    if (!fl_uuid_is_zero(csr.cluster)) { /* which cluster it becomes is the join token's to say */
        fl_csr_fini(&csr);
        api_fail_at(call, "/csr", "the request names a cluster", (struct fl_str){0},
                    "a request without a subject alternative name");
        return;
    }
    csr_pem->at = fl_arena_copy(&call->arena, csr_pem->at, csr_pem->len);
    call->state = csr_pem;
    fl_uuid_print(fl_random_uuid(), uuid);
    event = api_event(call, CORE_EV_enrol);
    event->event.enrol.token = digest;
    event->event.enrol.uid = fl_str_c(fl_arena_copy(&event->arena, uid.at, uid.len));
    event->event.enrol.uuid = fl_str_c(fl_arena_printf(&event->arena, "%s", uuid));
    event->event.enrol.key = csr.key_sha256;
    fl_csr_fini(&csr);
    api_ask(call, event, enrolled);
}

static const struct api_field enrol_fields[] = {
    API_MUST("token", "string", "the secret of a join token, base64url", .min = 1, .max = 64),
    API_MUST("uid", "string", "tells the agent's cluster or host from all others", .min = 1,
             .max = UID_BYTES_MAX),
    API_MUST("csr", "string", "a PKCS #10 request as PEM", .min = 1, .max = FL_CSR_BYTES_MAX),
    {0},
};

static const struct api_field enrolment_fields[] = {
    API_MUST("cluster", "string", "the cluster that the agent speaks for"),
    API_MUST("id", "string", "the identity in the certificate, a UUID"),
    API_MUST("generation", "integer", "the certificate's number"),
    API_MUST("certificate", "string", "as PEM"),
    API_MUST("ca", "string", "the certificate of the control plane's CA, as PEM"),
    API_MUST("renewAt", "string", "when to ask for the next", .format = API_FORMAT_time),
    {0},
};

const struct api_object enrolment_object = {
    .name = "Enrolment", .text = "A client certificate for an agent.", .fields = enrolment_fields};

const struct api_route enrol_routes[] = {
    API_ROUTE(API_POST, "/v1/enrol", API_NEED_nothing, enrol, "enrol",
              "an agent shows a join token, once, and gets its client certificate",
              .body = enrol_fields, .body_max = 16384, .status = 201, .answer = "Enrolment",
              .may_conflict = true),
    {0},
};
