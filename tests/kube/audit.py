"""Reads the API server's audit log: each request's user, object and verb, and whether it was granted."""
import datetime
import json


class Audit:
    def __init__(self, path):
        self.path, self.begin, self.since = path, 0, ""

    def mark(self):
        """Requests that came before this call are passed over from now on, whenever their streams end."""
        with open(self.path, "rb") as file:
            self.begin = file.seek(0, 2)
        self.since = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def entries(self, user=None, agent=None, **wanted):
        """Entries since the mark.  user: the user's name; agent: how the user agent begins; others: see 'fields'."""
        with open(self.path, "rb") as file:
            file.seek(self.begin)
            lines = [line for line in file if line.endswith(b"\n")]  # the last one may be half written
        found = [fields(entry) for entry in map(json.loads, lines) if entry["requestReceivedTimestamp"] >= self.since]
        return [one for one in found if user in (None, one["user"]) and one["agent"].startswith(agent or "")
                and all(one[key] == value for key, value in wanted.items())]

    def uses(self, **wanted):
        """The rights that a Role would have to grant: the set of (verb, group, resource or resource/subresource)."""
        return {(one["verb"], one["group"], "/".join(filter(None, (one["resource"], one["subresource"]))))
                for one in self.entries(**wanted) if one["resource"]}


def fields(entry):
    """One entry, flat.  A stream has two: ResponseStarted when it opens, ResponseComplete when it has ended."""
    target = entry.get("objectRef", {})
    return {
        "stage": entry["stage"], "verb": entry["verb"], "uri": entry["requestURI"],
        "user": entry.get("impersonatedUser", entry["user"])["username"], "agent": entry.get("userAgent", ""),
        "group": target.get("apiGroup", ""), "resource": target.get("resource", ""),
        "subresource": target.get("subresource", ""), "namespace": target.get("namespace", ""),
        "name": target.get("name", ""),
        "code": entry.get("responseStatus", {}).get("code", 0),
        "is_granted": entry.get("annotations", {}).get("authorization.k8s.io/decision") == "allow",
    }
