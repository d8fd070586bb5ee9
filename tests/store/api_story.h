/* api_story.h - the REST API in stories: requests in plain words, and below each, indented, its
 * answer.  Each story has a control plane of its own (api_help.h) on an empty database.
 *
 *   POST /v1/jobs {"command":["true"]}     a request; the rest of the line is its body
 *   | {"command":["true"]}                 further lines of the body, if its own line has none
 *   with If-Match: <etag 1>                a header of the next request
 *   only id state                          the next answer shows these members alone, and the
 *                                          objects and lists that hold them
 *   as <token 1>                           from here on with this token, 'admin', or 'no token'
 *   . POST /v1/queues {"name":"ml"}        quietly: it has to succeed, and is not shown
 *   rows                                   the rows that the last request made durable
 *
 * An answer is its status, the headers that say more than the route does, and its body; a JSON
 * value that is too long for a line is filled over several.  A time is written <time>, the
 * client's address <peer>, a digest in a row <hash>, the id of the first token <admin>.  A member
 * whose value differs each time (named_members) has its kind and a number instead, as <token 2>,
 * wherever the value appears, and a request may use that name. */
#pragma once

/* The caller frees the text. */
char *api_story_tell(const char *text);
