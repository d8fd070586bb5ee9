"""Which Go builds the cluster, and the error where there is none.  Each Go of these tests is a script."""
import os
import tempfile

import image
import programs
from kube import equal, finish, shows

NEW = "#!/bin/sh\necho go version go1.99.1 linux/amd64\n"
OLD = """#!/bin/sh
[ "$1" != version ] || {{ echo go version go1.19.8 linux/amd64; exit; }}
echo "$*" >{folder}/asked
echo '{{"Dir": "{folder}/toolchain"}}'
"""


def write_program(path, text, mode=0o755):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def main():
    programs.GO_OUTSIDE_PATH = "/nowhere"
    architecture = image.ARCHITECTURES[os.uname().machine]
    with tempfile.TemporaryDirectory() as folder:
        with shows("versions are compared by number"):
            assert programs.version_of("go version go1.9.7 linux/amd64") < programs.version_of("go1.26") < (1, 26, 1)
            equal(programs.version_of("no version"), (0,))
            assert programs.version_of(programs.TOOLCHAIN) >= programs.wanted_version()
        with shows("a Go that is new enough is used"):
            write_program(f"{folder}/new/go", NEW)
            os.environ["PATH"] = f"{folder}/new:/usr/bin:/bin"
            equal(programs.find_go(), f"{folder}/new/go")
        with shows("a Go that is too old brings the right one as a module, and makes it executable"):
            write_program(f"{folder}/old/go", OLD.format(folder=folder))
            write_program(f"{folder}/toolchain/bin/go", NEW, mode=0o444)
            write_program(f"{folder}/toolchain/pkg/tool/linux_{architecture}/compile", NEW, mode=0o444)
            os.environ["PATH"] = f"{folder}/old:/usr/bin:/bin"
            equal(programs.find_go(), f"{folder}/toolchain/bin/go")
            assert os.access(f"{folder}/toolchain/pkg/tool/linux_{architecture}/compile", os.X_OK)
            with open(f"{folder}/asked") as file:
                equal(file.read(), f"mod download -json golang.org/toolchain@v0.0.1-{programs.TOOLCHAIN}.linux-{architecture}\n")
        with shows("without any Go the error has the reason and the next step"):
            os.environ["PATH"] = folder
            programs.find = lambda name: None
            try:
                programs.find_go()
                raise AssertionError("a Go was found")
            except programs.Missing as missing:
                assert "apt-get install golang-go" in str(missing), missing
        with shows("the error for a machine that cannot run a cluster lists all that it lacks"):
            try:
                programs.check_machine()
                raise AssertionError("the machine was taken")
            except programs.Missing as missing:
                assert "containerd" in str(missing) and "runc" in str(missing), missing
    finish()


main()
