"""The bill of materials of an image, SPDX 2.3 as JSON: its Debian packages, the npm packages in the dashboard of fairleadd, and
each file of ours with its hashes."""
import hashlib
import json
import os

import debian

MADE = "1970-01-01T00:00:00Z"  # the document is as reproducible as the image
NONE = "NOASSERTION"
DASHBOARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "controlplane", "dashboard", "built", "packages.json")


def sha(kind, data):
    return hashlib.new(kind, data).hexdigest()


def file_row(path, data):
    kind = "BINARY" if data.startswith(b"\x7fELF") else "TEXT"
    return {"SPDXID": f"SPDXRef-File-{debian.as_id(path)}", "fileName": f"./{path}", "fileTypes": [kind],
            "checksums": [{"algorithm": "SHA1", "checksumValue": sha("sha1", data)},
                          {"algorithm": "SHA256", "checksumValue": sha("sha256", data)}],
            "licenseConcluded": "Apache-2.0", "licenseInfoInFiles": ["Apache-2.0"], "copyrightText": NONE}


def image_row(image):
    return {"SPDXID": "SPDXRef-Image", "name": image.name.rpartition(":")[0], "versionInfo": image.name.rpartition(":")[2],
            "downloadLocation": NONE, "filesAnalyzed": False, "primaryPackagePurpose": "CONTAINER",
            "checksums": [{"algorithm": "SHA256", "checksumValue": image.digest.removeprefix("sha256:")}],
            "licenseConcluded": NONE, "licenseDeclared": NONE, "copyrightText": NONE}


def our_row(files, version):
    hashes = "".join(sorted(row["checksums"][0]["checksumValue"] for row in files))
    return {"SPDXID": "SPDXRef-Fairlead", "name": "fairlead", "versionInfo": version, "downloadLocation": NONE, "filesAnalyzed": True,
            "packageVerificationCode": {"packageVerificationCodeValue": sha("sha1", hashes.encode())},
            "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "licenseInfoFromFiles": ["Apache-2.0"],
            "copyrightText": NONE}


def package_row(package, refs):
    row = debian.about(package)
    declared, texts = debian.licence(package)
    refs.update(texts)
    found = {"SPDXID": f"SPDXRef-Package-{debian.as_id(package)}", "name": package, "versionInfo": row["Version"],
             "downloadLocation": NONE, "filesAnalyzed": False, "supplier": "Organization: Debian",
             "sourceInfo": f"built from the source package {row['source:Package']} {row['source:Version']}",
             "licenseConcluded": NONE, "licenseDeclared": declared, "copyrightText": NONE,
             "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                               "referenceLocator": f"pkg:deb/debian/{package.replace('+', '%2B')}@{row['Version'].replace('+', '%2B')}"
                                                   f"?arch={row['Architecture']}"}]}
    if row["Homepage"].startswith("http"):
        found["homepage"] = row["Homepage"]
    return found


def dashboard_rows(tree):
    """The packages whose code is in the pages that fairleadd serves."""
    if not any(os.path.basename(path) == "fairleadd" for path in tree.ours):
        return []
    with open(DASHBOARD) as file:
        packages = json.load(file)
    return [{"SPDXID": f"SPDXRef-Npm-{debian.as_id(row['name'])}", "name": row["name"], "versionInfo": row["version"],
             "downloadLocation": NONE, "filesAnalyzed": False, "licenseConcluded": NONE, "licenseDeclared": row["license"],
             "copyrightText": NONE,
             "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                               "referenceLocator": f"pkg:npm/{row['name'].replace('@', '%40')}@{row['version']}"}]}
            for row in packages]


def related(one, kind, others):
    return [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]} for other in others]


def document(image, tree, version):
    refs, contents = {}, tree.files()
    files = [file_row(path, contents[path]) for path in sorted(tree.ours)]
    ours, whole = our_row(files, version), image_row(image)
    packages = [package_row(package, refs) for package in sorted(tree.packages)]
    bundled = dashboard_rows(tree)
    name = os.path.basename(whole["name"])
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{name}-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{version}-{image.digest.removeprefix('sha256:')}",
        "creationInfo": {"created": MADE, "creators": [f"Tool: fairlead-images-{version}"]},
        "packages": [whole, ours, *packages, *bundled], "files": files,
        "hasExtractedLicensingInfos": [{"licenseId": ref, "name": ref.removeprefix("LicenseRef-Debian-"), "extractedText": text}
                                       for ref, text in sorted(refs.items())],
        "relationships": [*related("SPDXRef-DOCUMENT", "DESCRIBES", [whole]),
                          *related("SPDXRef-Image", "CONTAINS", [ours, *packages]),
                          *related("SPDXRef-Fairlead", "CONTAINS", [*files, *bundled])],
    }


def write(path, image, tree, version):
    with open(f"{path}.part", "w") as file:
        json.dump(document(image, tree, version), file, indent=1)
        file.write("\n")
    os.rename(f"{path}.part", path)
