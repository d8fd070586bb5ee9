import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "../api/types";
import { EMPTY_FORM, documentOf, fieldOf, formDocument, mediaTypeOf } from "./job_document";

test("a form is the short document, without what was left empty", () => {
    const form = {
        ...EMPTY_FORM,
        name: " train ",
        command: "python train.py | tee out",
        cpu: "1.5",
        gpus: "2",
        labels: "team=vision, try=1=2",
        env: "A=b c\nB=",
        array: "ten",
        parallelism: "2",
    };
    assert.deepEqual(formDocument(form), {
        name: "train",
        command: ["sh", "-c", "python train.py | tee out"],
        env: { A: "b c", B: "" },
        resources: { cpu: "1.5", gpus: 2 },
        array: "ten",
        parallelism: 2,
        labels: { team: "vision", try: "1=2" },
    });
});

test("without a shell a command is its words", () => {
    const form = { ...EMPTY_FORM, command: "echo 'a b'", isShell: false };
    assert.deepEqual(formDocument(form), { command: ["echo", "a b"] });
});

test("a job gives back the document by which it may be submitted again", () => {
    const job = {
        name: "n",
        queue: "ml",
        labels: {},
        priority: 0,
        deadline: 60,
        singleton: true,
        parallelism: 2,
        elements: { total: 5 },
        params: { lr: "0.1" },
        spec: { retry: 2, roles: [] },
    } as unknown as Job;
    assert.deepEqual(documentOf(job), {
        name: "n",
        queue: "ml",
        deadline: 60,
        array: 5,
        parallelism: 2,
        singleton: true,
        params: { lr: "0.1" },
        retry: 2,
        roles: [],
    });
});

test("one element that runs again is no array, and has no parallelism", () => {
    const job = { elements: { total: 1 }, parallelism: 2, labels: {}, spec: { roles: [] } } as unknown as Job;
    assert.deepEqual(documentOf(job), { roles: [] });
});

test("pointers of the server's errors lead to fields", () => {
    assert.equal(fieldOf("/resources/cpu"), "cpu");
    assert.equal(fieldOf("/labels/team"), "labels");
    assert.equal(fieldOf("/hold"), "isHeld");
    assert.equal(fieldOf("/roles/0"), undefined);
    assert.equal(fieldOf(""), undefined);
});

test("a text that begins with a brace is JSON", () => {
    assert.equal(mediaTypeOf(' {"command":[]}'), "application/json");
    assert.equal(mediaTypeOf("command: [a]"), "application/yaml");
});
