"""A lost or foreign pepper: all tokens would be void, so the control plane does not start, and says what helps."""
import os
import subprocess

import fleet
import hub
from fleet import BIN, equal, shows, until


def words_of(h, *more):
    words = [os.path.join(BIN, "fairleadd"), "--database", "@" + h.database, *more]
    for key, value in h.settings.items():
        words += ["--" + key.replace("_", "-"), str(value)]
    return words


def is_refused(h):
    ended = subprocess.run(words_of(h), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30)
    assert ended.returncode != 0, ended.stdout
    for word in ("pepper", "backup", "--make-admin-token"):
        assert word in ended.stdout, ended.stdout


def main():
    with hub.Hub() as h:
        state = h.settings["state_dir"]
        pepper, old = os.path.join(state, "pepper"), h.token
        with open(pepper, "rb") as file:
            kept = file.read()
        h.kill()
        with shows("without its pepper the control plane does not start, however often, and names the cure"):
            os.remove(pepper)
            is_refused(h)
            is_refused(h)
        with shows("nor with another one"):
            with open(pepper, "wb") as file:
                file.write(bytes(32))
            is_refused(h)
        with shows("with the one of its backup it goes on, and every token counts"):
            with open(pepper, "wb") as file:
                file.write(kept)
            h.start()
            equal(h.ask("GET", "/v1/jobs")[0], 200)
            h.kill()
        with shows("if it is lost for good, one start makes a new admin token"):
            os.remove(pepper)
            h.process = h.spawn("fairleadd", words_of(h, "--make-admin-token", "true"))

            def is_new():
                with open(os.path.join(state, "admin-token")) as file:
                    h.token = file.readline().strip()
                try:
                    return h.token != old and h.ask("GET", "/v1/jobs")[0] == 200
                except OSError:
                    return False

            until("the new token counts", is_new, 60)
            equal(h.ask("GET", "/v1/jobs", headers={"Authorization": f"Bearer {old}"})[0], 401)
            h.kill()
        with shows("and later starts need nothing"):
            h.start()
            equal(h.ask("GET", "/v1/jobs")[0], 200)
    fleet.finish()


main()
