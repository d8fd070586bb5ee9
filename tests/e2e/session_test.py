"""A browser signs in, without a browser: the cookie, what it opens and to whom, and its ends; and how the pages are served."""
import contextlib
import datetime
import gzip
import hashlib
import json
import os
import re
import subprocess
import urllib.parse

import fleet
import hub
import visit_client
from fleet import BIN, equal, shows, until

PAGE = {"Fairlead-Page": "1"}
OWN = {"Sec-Fetch-Site": "same-origin"}


class Page:
    """Sends the requests of a page in a browser, by hand: its cookies, and no token."""

    def __init__(self, h, cookies=None):
        self.h, self.cookies = h, {} if cookies is None else cookies

    def ask(self, method, path, body=None, headers=None):
        connection = self.h.connection()
        sent = {**OWN, **(headers or {})}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if body is not None:
            sent["Content-Type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body), sent)
        answer = connection.getresponse()
        got = answer.read()
        connection.close()
        for line in answer.headers.get_all("Set-Cookie") or ():
            name, value = line.split(";")[0].split("=", 1)
            self.cookies[name] = value
            if not value:
                del self.cookies[name]
        return answer.status, answer.headers, got

    def change(self, method, path, body=None, headers=None):
        return self.ask(method, path, body, {**PAGE, **(headers or {})})

    def sign_in(self, **body):
        return self.change("POST", "/v1/session", body)

    def is_in(self):
        status, _, answer = self.ask("GET", "/v1/session")
        return json.loads(answer) if status == 200 else None


def signed_in(h, token=None):
    page = Page(h)
    equal(page.sign_in(token=token or h.token)[0], 201)
    return page


# ---- signing in --------------------------------------------------------------------------------------------


def signing_in(h):
    with shows("a token signs a browser in: the cookie is HttpOnly and SameSite=Strict, and no token is in it or in the answer"):
        page = Page(h)
        status, headers, answer = page.sign_in(token=h.token)
        equal(status, 201, answer)
        cookie = headers["Set-Cookie"]
        assert re.fullmatch(r"fairlead-[0-9a-f]{8}=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200", cookie), cookie
        assert h.token not in cookie and h.token.encode() not in answer
        session = json.loads(answer)
        equal(session["token"]["scopes"], page.is_in()["token"]["scopes"])
        equal((session["idleSeconds"], session["instance"]), (1800, cookie[9:17]))
    with shows("the cookie has the rights of its token, and with a bearer token beside it, that one counts"):
        reader = h.api("POST", "/v1/tokens", {"name": "reader", "scopes": ["read"]})["token"]
        page = signed_in(h, reader)
        equal(page.ask("GET", "/v1/jobs")[0], 200)
        equal(page.change("POST", "/v1/jobs", {"command": ["true"]})[0], 403)
        equal(page.change("POST", "/v1/jobs", {"command": ["true"]}, {"Authorization": f"Bearer {h.token}"})[0], 201)
        equal(page.ask("GET", "/v1/jobs", headers={"Authorization": "Bearer nonsense"})[0], 401)
    with shows("a page sees figures of readiness, which a probe without a cookie does not"):
        page = signed_in(h)
        assert json.loads(page.ask("GET", "/readyz?verbose=true")[2])["leading"]
        assert "leading" not in json.loads(Page(h).ask("GET", "/readyz?verbose=true")[2])
    with shows("nothing but a token or a code begins a session, and a refusal says which"):
        for body, status in (({"token": h.token[:-1]}, 403), ({"token": "x"}, 403), ({"code": "x"}, 403), ({}, 422),
                             ({"token": h.token, "code": "x"}, 422), ({"password": "x"}, 422), ({"token": ""}, 422)):
            page = Page(h)
            got, headers, answer = page.change("POST", "/v1/session", body)
            equal(got, status, answer)
            assert "Set-Cookie" not in headers and not page.cookies, headers
        equal(Page(h, {"fairlead-00000000": "0" * 64}).ask("GET", "/v1/jobs")[0], 401)


def codes(h, cli):
    def code(**body):
        status, _, answer = h.ask("POST", "/v1/session-codes", body)
        equal(status, 201, answer)
        return json.loads(answer)

    with shows("a code signs in once"):
        made = code()
        equal(made["path"], f"/login#code={made['code']}")
        page = Page(h)
        equal(page.sign_in(code=made["code"])[0], 201)
        assert page.is_in()["token"]["name"]
        equal(Page(h).sign_in(code=made["code"])[0], 403)
    with shows("a code whose time is over does not sign in"):
        made = code(ttlSeconds=1)
        over = datetime.datetime.fromisoformat(made["expiresAt"].replace("Z", "+00:00"))
        until("its time is over", lambda: datetime.datetime.now(datetime.timezone.utc) > over + datetime.timedelta(milliseconds=50))
        equal(Page(h).sign_in(code=made["code"])[0], 403)
    with shows("a page makes no code, so that no session goes on for ever"):
        equal(signed_in(h).change("POST", "/v1/session-codes", {})[0], 403)
    with shows("'fairlead open --print' prints a link that signs in once, to the page of the job"):
        job = h.submit({"command": ["true"]})
        out = cli("open", job, "--print")
        equal(out.returncode, 0, out.stderr)
        link = urllib.parse.urlsplit(out.stdout.strip())
        fields = urllib.parse.parse_qs(link.fragment)
        equal((link.path, fields["next"], f"{link.scheme}://{link.netloc}"), ("/login", [f"/jobs/{job}"], h.url))
        equal(Page(h).sign_in(code=fields["code"][0])[0], 201)
        assert "once" in out.stderr, out.stderr
    with shows("'fairlead open' starts the browser that BROWSER names, with that link"):
        seen = f"{h.dir}/browser"
        with open(f"{h.dir}/my-browser", "w") as file:
            file.write(f'#!/bin/sh\necho "$1" >{seen}\n')
        subprocess.run(["chmod", "755", f"{h.dir}/my-browser"], check=True)
        out = cli("open", BROWSER=f"{h.dir}/my-browser")
        equal((out.returncode, out.stdout, out.stderr), (0, "", f"opened {h.url}/\n"))
        with open(seen) as file:
            fields = urllib.parse.parse_qs(urllib.parse.urlsplit(file.read().strip()).fragment)
        equal(Page(h).sign_in(code=fields["code"][0])[0], 201)
    with shows("a job that is not there gets no link, and the error names it"):
        out = cli("open", "job-zzzz", "--print")
        assert out.returncode != 0 and out.stdout == "" and "job-zzzz" in out.stderr, out
    with shows("the commands of docs/dashboard.md open what they say"):
        with open(f"{fleet.ROOT}/docs/dashboard.md") as file:
            block = re.search(r"^```\n(.*?)^```$", file.read(), re.M | re.S)[1]
        for line, path in zip(block.splitlines(), ("/", f"/jobs/{job}"), strict=True):
            out = cli(*line.split()[1:], BROWSER=f"{h.dir}/my-browser")
            equal((out.returncode, out.stderr), (0, f"opened {h.url}{path}\n"))
    with shows("a browser that is not there leaves the link"):
        out = cli("open", BROWSER="/nonexistent/browser")
        assert out.stdout.startswith(f"{h.url}/login#code="), out


# ---- refusals ----------------------------------------------------------------------------------------------


def foreign_pages(h):
    page = signed_in(h)
    with shows("a page of another site may neither look nor change anything with the cookie"):
        for foreign in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
            equal(page.ask("GET", "/v1/jobs", headers=foreign)[0], 403, foreign)
            equal(page.change("POST", "/v1/jobs", {"command": ["true"]}, foreign)[0], 403, foreign)
        equal(page.ask("GET", "/v1/jobs", headers={"Origin": h.url})[0], 200)
    with shows("a change without the page's header is refused, and nothing is changed"):
        before = len(json.loads(page.ask("GET", "/v1/jobs?limit=1000")[2])["jobs"])
        for method, path, body in (("POST", "/v1/jobs", {"command": ["true"]}), ("DELETE", "/v1/session", None), ("POST", "/v1/jobs:cancel", {})):
            status, _, answer = page.ask(method, path, body)
            equal(status, 403)
            assert "Fairlead-Page" in json.loads(answer)["detail"], answer
        equal(len(json.loads(page.ask("GET", "/v1/jobs?limit=1000")[2])["jobs"]), before)
        equal(page.change("POST", "/v1/jobs", {"command": ["true"]})[0], 201)
    with shows("a foreign page cannot sign in"):
        for headers in ({}, {**PAGE, "Sec-Fetch-Site": "cross-site"}, {**PAGE, "Origin": "https://evil.example"}):
            equal(Page(h).ask("POST", "/v1/session", {"token": h.token}, headers)[0], 403, headers)


# ---- shells ------------------------------------------------------------------------------------------------


def visit(page, job, origin=None, path="exec?command=%5B%22true%22%5D", headers=None):
    """A WebSocket as a page's script opens one: it can set no header of its own."""
    cookie = "; ".join(f"{name}={value}" for name, value in page.cookies.items())
    sent = {"Authorization": None, "Cookie": cookie, "Origin": origin or page.h.url, **(headers or {})}
    return visit_client.Visit(page.h, f"/v1/jobs/{job}/{path}", headers=sent)


def is_refused(status, ask):
    try:
        with ask():
            raise AssertionError("it opened")
    except visit_client.Refused as refused:
        equal(refused.status, status, refused.body)
        return refused.body


def foreign_shells(h, page, job):
    """A browser sends the cookie with the WebSocket of any page of this host, at any port."""
    scheme, host = h.url.split("://")
    other = "http" if scheme == "https" else "https"
    origins = ("https://evil.example", "null", f"{scheme}://{host.split(':')[0]}:1", f"{scheme}://{host}.evil.example", f"{other}://{host}", host)
    for origin in origins:
        is_refused(403, lambda origin=origin: visit(page, job, origin))
    is_refused(403, lambda: visit(page, job, headers={"Origin": None}))
    for site in ("same-site", "cross-site"):
        is_refused(403, lambda site=site: visit(page, job, headers={"Sec-Fetch-Site": site}))
    with visit(page, job, headers={"Sec-Fetch-Site": "same-origin"}) as v:
        equal(v.finish().exit_code, 0)


def shells(h):
    job = h.submit({"command": ["sleep", "600"]})
    h.wait(job, "running")
    page = signed_in(h)
    with shows("a page of the control plane opens a shell with its cookie; pages of other origins, ports and schemes do not"):
        foreign_shells(h, page, job)
    with shows("a cookie opens no forward, and no shell for a token without the scope exec"):
        is_refused(403, lambda: visit(page, job, path="forward?port=80"))
        reader = h.api("POST", "/v1/tokens", {"name": "looks", "scopes": ["read"]})
        is_refused(403, lambda: visit(signed_in(h, reader["token"]), job))
        is_refused(401, lambda: visit(Page(h, {"fairlead-00000000": "0" * 64}), job))
    with shows("a page that asks without a WebSocket hears why it would get none, and opens nothing"):
        status, _, answer = page.ask("GET", f"/v1/jobs/{job}/exec?replica=7")
        equal((status, json.loads(answer)["detail"]), (422, "the job has one replica, number 0"))
        equal(page.ask("GET", f"/v1/jobs/{job}/exec")[0], 400)
    with shows("signing out ends the shells of that session with a word, and another session's shell goes on"):
        leaver, other = signed_in(h), signed_in(h)
        long = "exec?command=%5B%22cat%22%5D"
        with visit(leaver, job, path=long) as v, visit(other, job, path=long) as kept:
            equal(leaver.change("DELETE", "/v1/session")[0], 200)
            v.finish()
            equal((v.close, v.status["reason"], v.status["message"]), (1008, "denied", "the session of this visit is over: sign in again"))
            kept.put(0, b"still here\n")
            kept.until(lambda it: b"still here" in it.out)
    with shows("a token that is revoked ends the shells of its sessions with a word"):
        made = h.api("POST", "/v1/tokens", {"name": "enters", "scopes": ["read", "exec"]})
        with visit(signed_in(h, made["token"]), job, path=long) as v:
            h.api("DELETE", f"/v1/tokens/{made['id']}")
            v.finish()
            equal((v.close, v.status["message"]), (1008, "the token of this visit was revoked"))
    with shows("the audit names the token of the session, for the begin and the end of a shell"):
        def actions():
            rows = h.api("GET", "/v1/audit?limit=200")["audit"]
            return {row["action"] for row in rows if row["actor"].endswith(" enters") and row["object"] == job}

        until("both rows are there", lambda: actions() == {"exec", "end_exec"})
    h.api("POST", f"/v1/jobs/{job}:cancel")


# ---- its ends ----------------------------------------------------------------------------------------------


def stream(page, path="/v1/events"):
    connection = page.h.connection()
    cookie = "; ".join(f"{name}={value}" for name, value in page.cookies.items())
    connection.request("GET", path, headers={**OWN, "Cookie": cookie, "Accept": "application/x-ndjson"})
    answer = connection.getresponse()
    equal(answer.status, 200)
    return connection, answer


def last_word(answer):
    words = [json.loads(line) for line in answer.read().decode().splitlines() if line.strip()]
    return words[-1].get("reason") if words else None


def ends(h):
    with shows("after signing out the cookie counts no more, and its streams end and say why"):
        page = signed_in(h)
        connection, answer = stream(page)
        kept = Page(h, dict(page.cookies))
        status, headers, _ = page.change("DELETE", "/v1/session")
        equal(status, 200)
        assert "Max-Age=0" in headers["Set-Cookie"], headers
        equal((page.cookies, kept.is_in()), ({}, None))
        equal(last_word(answer), "SessionEnded")
        connection.close()
    with shows("a token that is revoked takes its sessions with it, and another token's session goes on"):
        made = h.api("POST", "/v1/tokens", {"name": "brief", "scopes": ["read"]})
        page, other = signed_in(h, made["token"]), signed_in(h)
        connection, answer = stream(page)
        h.api("DELETE", f"/v1/tokens/{made['id']}")
        equal(page.ask("GET", "/v1/jobs")[0], 401)
        equal(last_word(answer), "TokenRevoked")
        connection.close()
        assert other.is_in()
    with shows("a token that gets a new secret takes the sessions with it that began with the old one"):
        made = h.api("POST", "/v1/tokens", {"name": "turned", "scopes": ["read"]})
        page = signed_in(h, made["token"])
        made = h.api("POST", f"/v1/tokens/{made['id']}:rotate", {"graceSeconds": 0})
        equal(page.ask("GET", "/v1/jobs")[0], 401)
        assert signed_in(h, made["token"]).is_in()
    with shows("without TLS, sessions end with the process, and the cookie of the next one has another name"):
        page = signed_in(h)
        before = dict(page.cookies)
        h.kill()
        h.start()
        equal((page.ask("GET", "/v1/jobs")[0], page.is_in()), (401, None))
        equal(page.sign_in(token=h.token)[0], 201)
        equal(len(page.cookies), 2)
        assert page.is_in() and before.items() <= page.cookies.items()
    with shows("without a session or a token, GET and DELETE of /v1/session are refused"):
        equal(Page(h).ask("GET", "/v1/session")[0], 401)
        equal(Page(h).change("DELETE", "/v1/session")[0], 401)
        equal(h.ask("GET", "/v1/session")[0], 422)


# ---- the pages ---------------------------------------------------------------------------------------------


def pages(h):
    stranger = Page(h)
    with shows("each path of the application has the page, whose scripts and styles come from here alone"):
        for path in ("/", "/jobs", "/jobs/job-1/logs", "/login", "/admin/tokens"):
            status, headers, page = stranger.ask("GET", path)
            equal((status, headers["Content-Type"], headers["Cache-Control"]), (200, "text/html; charset=utf-8", "no-cache"))
            policy = headers["Content-Security-Policy"]
            for word in ("default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'", "require-trusted-types-for 'script'"):
                assert word in policy, policy
            assert "unsafe" not in policy
            equal((headers["X-Content-Type-Options"], headers["Referrer-Policy"], headers["Cross-Origin-Opener-Policy"]),
                  ("nosniff", "no-referrer", "same-origin"))
        text = page.decode()
        assert "<style" not in text and "style=" not in text and not re.search(r"<script(?![^>]* src=)", text), text
    files = re.findall(r'(?:src|href)="(/[^"]+)"', text)
    with shows("each file that the page names is there, compressed, kept for ever by the browser, and from nowhere else"):
        assert len(files) >= 2, text
        assert "://" not in text.replace("http://www.w3.org/2000/svg", ""), text
        for path in files:
            status, headers, body = stranger.ask("GET", path, headers={"Accept-Encoding": "gzip"})
            equal((status, headers["Cache-Control"]), (200, "public, max-age=31536000, immutable"), path)
            assert len(gzip.decompress(body) if headers["Content-Encoding"] else body) > 0
    with shows("a page that is known is not sent again, and HEAD has no body"):
        etag = stranger.ask("GET", "/")[1]["ETag"]
        equal(stranger.ask("GET", "/", headers={"If-None-Match": etag})[0], 304)
        equal(stranger.ask("HEAD", "/jobs")[2], b"")
    with shows("other paths and methods are the API's, as before"):
        for method, path in (("GET", "/v1/jobs"), ("POST", "/"), ("GET", "/ui/"), ("GET", "/ui/app.js"), ("GET", "/jobsx"), ("GET", "/%6aobs")):
            equal(stranger.ask(method, path)[0], 401, path)
        equal(stranger.ask("GET", "/livez")[0], 200)


def behind_tls():
    with hub.Hub({"api_tls": "on"}) as h:
        with shows("with TLS the cookie is a __Host- one and Secure"):
            page = Page(h)
            status, headers, _ = page.sign_in(token=h.token)
            equal(status, 201)
            assert re.fullmatch(r"__Host-fairlead=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure",
                                headers["Set-Cookie"]), headers["Set-Cookie"]
            assert page.is_in()
        with shows("there, too, a page of the control plane opens a shell, and none of another origin or of http:// does"):
            h.agent("east", h.join("east"))
            h.wait_cluster("east", "ready")
            job = h.submit({"command": ["sleep", "600"]})
            h.wait(job, "running")
            foreign_shells(h, page, job)
            h.api("POST", f"/v1/jobs/{job}:cancel")
        kept = os.path.join(h.settings["state_dir"], "sessions")

        def has(page):
            """The session is in the file, by its hash."""
            keys = [hashlib.sha256(value.encode()).hexdigest() for value in page.cookies.values()]
            with contextlib.suppress(FileNotFoundError), open(kept) as file:
                return keys[0] in file.read()
            return False

        with shows("there it goes on after a restart, also one by kill -9, and the file has no text of it"):
            until("it is kept", lambda: has(page))
            h.kill()
            h.start()
            assert page.is_in()
            with open(kept) as file:
                text = file.read()
            assert all(value not in text for value in page.cookies.values()) and h.token not in text
            equal(os.stat(kept).st_mode & 0o777, 0o600)
            other = signed_in(h)
            h.process.terminate()
            h.process.wait(timeout=60)
            h.start()
            assert page.is_in() and other.is_in()
        with shows("a session that was left does not come back by it, nor does a token that was revoked meanwhile"):
            gone = Page(h, dict(page.cookies))
            page.change("DELETE", "/v1/session")
            made = h.api("POST", "/v1/tokens", {"name": "brief", "scopes": ["read"]})
            brief = signed_in(h, made["token"])
            until("that is kept", lambda: has(brief) and not has(gone))
            h.api("DELETE", f"/v1/tokens/{made['id']}")
            h.kill()
            h.start()
            equal((gone.is_in(), brief.is_in(), bool(other.is_in())), (None, None, True))
        with shows("with a damaged file people sign in again, and the log says why"):
            h.kill()
            with open(kept, "w") as file:
                file.write("fairlead sessions 1\nnonsense\n")
            h.start()
            equal(other.is_in(), None)
            assert "event=sessions_not_read" in h.log("fairleadd"), h.log("fairleadd")[-2000:]
            assert signed_in(h).is_in()


def two_at_once(one):
    with hub.Hub() as two:
        with shows("two control planes on one host, whose cookies a browser mixes, never take each other's"):
            jar = {}
            at_one, at_two = Page(one, jar), Page(two, jar)
            equal((at_one.sign_in(token=one.token)[0], at_two.sign_in(token=two.token)[0]), (201, 201))
            equal(len(jar), 2)
            assert at_one.is_in() and at_two.is_in()
            at_one.change("DELETE", "/v1/session")
            equal((at_one.is_in(), bool(at_two.is_in())), (None, True))


def main():
    with hub.Hub() as h:
        def cli(*words, **env):
            with_url = {**os.environ, "HOME": h.dir, "XDG_CONFIG_HOME": h.dir, "FAIRLEAD_URL": h.url, "FAIRLEAD_TOKEN": h.token, **env}
            return subprocess.run([f"{BIN}/fairlead", *words], env=with_url, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        signing_in(h)
        codes(h, cli)
        foreign_pages(h)
        shells(h)
        two_at_once(h)
        pages(h)
        ends(h)
    behind_tls()


main()
fleet.finish()
