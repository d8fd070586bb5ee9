"""Clients that three generators make of openapi.json submit, page by cursor, cancel and follow jobs.

The generators come from PyPI, npm and Maven Central, in the versions below, and are kept in build/clients beside what they
made; a registry that cannot be reached is a failure, told with the tool's own words.
"""
import json
import os
import shutil
import subprocess
import sys

import fleet
import hub
from fleet import ROOT, shows

PIP = {"openapi-python-client": "0.29.1", "openapi-spec-validator": "0.9.0"}
NPM = {"openapi-typescript": "7.13.0", "openapi-fetch": "0.17.0", "typescript": "5.6.3", "@types/node": "20.17.6"}
JAR = ("org.openapitools", "openapi-generator-cli", "7.9.0")
DIR = os.path.join(ROOT, "build", "clients")
PROGRAMS = os.path.join(ROOT, "tests", "clients")


def run(*words, at=DIR, **env):
    done = subprocess.run(words, cwd=at, env=dict(os.environ, **env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    assert done.returncode == 0, f"{' '.join(words)[:200]}\n{done.stdout.decode(errors='replace')[-3000:]}"
    return done.stdout.decode()


def once(name, wanted, make):
    """Makes DIR/name unless it was made for just that."""
    path, mark = os.path.join(DIR, name), os.path.join(DIR, name + ".made")
    wanted = json.dumps(wanted, sort_keys=True)
    if os.path.exists(mark):
        with open(mark) as file:
            if file.read() == wanted:
                return path
        os.remove(mark)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    make(path)
    with open(mark, "w") as file:
        file.write(wanted)
    return path


def install_python(path):
    run(sys.executable, "-m", "venv", path)
    run(f"{path}/bin/pip", "install", "-q", *(f"{name}=={version}" for name, version in PIP.items()))


def install_node(path):
    with open(os.path.join(path, "package.json"), "w") as file:
        json.dump({"name": "fairlead-client", "private": True, "dependencies": NPM}, file)
    run("npm", "install", "--no-audit", "--no-fund", at=path)


def install_java(path):
    group, name, version = JAR
    run("mvn", "-q", "-B", "dependency:copy", f"-Dartifact={group}:{name}:{version}", f"-DoutputDirectory={path}")


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def describe(h):
    """Writes openapi.json where the generators find it; returns its content."""
    status, _, document = h.ask("GET", "/v1/openapi.json")
    assert status == 200, status
    write(os.path.join(DIR, "openapi.json"), document.decode())
    return document.decode()


def python_client(h, document, env):
    tools = once("python", PIP, install_python)
    with shows("openapi-spec-validator calls openapi.json valid"):
        run(f"{tools}/bin/openapi-spec-validator", "openapi.json")

    def generate(path):
        write(f"{path}/config.yaml", "post_hooks: []\n")
        said = run(f"{tools}/bin/openapi-python-client", "generate", "--path", "openapi.json", "--meta", "none", "--config", f"{path}/config.yaml",
                   "--output-path", f"{path}/fairlead_api", "--overwrite")
        # The generator takes JSON bodies alone, and warns of YAML and lines of JSON; other errors have other words.
        told = [line for line in said.splitlines() if "Unsupported content type" not in line and ("ERROR" in line or "parsing" in line)]
        assert all("POST /v1/jobs within" in line or "POST /v1/jobs:batch within" in line for line in told), said

    with shows("a Python client by openapi-python-client submits, pages, cancels and follows"):
        made = once("python-client", [PIP, document], generate)
        run(f"{tools}/bin/python", os.path.join(PROGRAMS, "client.py"), PYTHONPATH=made, **env)


def typescript_client(h, document, env):
    with shows("TypeScript by openapi-typescript compiles strictly, submits, pages, cancels and follows"):
        tools = once("node", NPM, install_node)
        run("npx", "openapi-typescript", os.path.join(DIR, "openapi.json"), "-o", "schema.ts", at=tools)
        shutil.copy(os.path.join(PROGRAMS, "client.ts"), tools)
        run("npx", "tsc", "--strict", "--target", "es2022", "--module", "node16", "--moduleResolution", "node16", "--skipLibCheck", "client.ts",
            at=tools)
        run("node", "client.js", at=tools, **env)


def go_client(h, document, env):
    tools = once("java", JAR, install_java)

    def generate(path):
        run("java", "-jar", f"{tools}/{JAR[1]}-{JAR[2]}.jar", "generate", "-i", "openapi.json", "-g", "go", "-o", f"{path}/fairlead",
            "--additional-properties=packageName=fairlead,withGoMod=false", "--global-property=models,apis,supportingFiles,modelTests=false,apiTests=false")
        shutil.rmtree(f"{path}/fairlead/test", ignore_errors=True)
        write(f"{path}/go.mod", "module fairlead.test/client\n\ngo 1.19\n\nrequire gopkg.in/validator.v2 v2.0.1\n")
        shutil.copy(os.path.join(PROGRAMS, "client.go"), f"{path}/main.go")
        run("go", "mod", "tidy", at=path)

    with shows("a Go client by openapi-generator submits, pages, cancels and follows"):
        made = once("go-client", [JAR, document], generate)
        shutil.copy(os.path.join(PROGRAMS, "client.go"), f"{made}/main.go")
        run("go", "build", "-o", "client", ".", at=made)
        run("./client", at=made, **env)


def main():
    os.makedirs(DIR, exist_ok=True)
    with hub.Hub() as h:
        for number in range(3):
            h.submit({"command": ["true"], "hold": True, "name": f"other-{number}"})
        document, env = describe(h), {"FAIRLEAD_URL": h.url, "FAIRLEAD_TOKEN": h.token}
        python_client(h, document, env)
        typescript_client(h, document, env)
        go_client(h, document, env)
    fleet.finish()


main()
