import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "../api/types";
import { groupJobs, groupRows, groupWords, groupsSentence, isGroup, labelKeys, parseGroup } from "./group";

const job = (id: string, more: Partial<Job> = {}) =>
    ({ id, state: "running", queue: "ml", submittedBy: "ann", cluster: null, labels: {}, ...more }) as Job;

const names = (jobs: Job[], by: string) =>
    groupJobs(jobs, by).map((group) => `${group.name}: ${group.jobs.map(({ id }) => id).join(" ")}`);

test("an address names what to group by, and one that makes no sense names nothing", () => {
    for (const by of ["state", "queue", "user", "cluster", "label:team", "label:a.b/c-d"])
        assert.equal(parseGroup(by), by);
    for (const by of ["", "label:", "label", "name", "label:a=b", "label:a b", "constructor"])
        assert.equal(parseGroup(by), "");
    assert.equal(groupWords("label:team"), "label team");
});

test("groups are in the order of their names, numbers by their size, and those without a value are last", () => {
    const jobs = ["10", undefined, "9", "", "10"].map((n, i) =>
        job(`${i}`, n === undefined ? {} : { labels: { n } }),
    );
    assert.deepEqual(names(jobs, "label:n"), ["(empty): 3", "9: 2", "10: 0 4", "no label n: 1"]);
    assert.deepEqual(names([job("1")], "label:constructor"), ["no label constructor: 1"]);
});

test("states are in their own order, and each group counts its states", () => {
    const jobs = [job("1", { state: "failed" }), job("2"), job("3", { state: "queued" }), job("4")];
    assert.deepEqual(names(jobs, "state"), ["queued: 3", "running: 2 4", "failed: 1"]);
    assert.deepEqual(groupJobs(jobs, "queue")[0]!.counts, [
        ["queued", 1],
        ["running", 2],
        ["failed", 1],
    ]);
});

test("users and clusters make groups, too", () => {
    const jobs = [job("1", { cluster: "east" }), job("2", { submittedBy: null })];
    assert.deepEqual(names(jobs, "cluster"), ["east: 1", "no cluster: 2"]);
    assert.deepEqual(names(jobs, "user"), ["ann: 1", "no user: 2"]);
});

test("a closed group is its head alone", () => {
    const groups = groupJobs([job("1"), job("2", { queue: "b" }), job("3")], "queue");
    const rows = groupRows(groups, new Set(["=b"])).map((row) => (isGroup(row) ? `[${row.name}]` : row.id));
    assert.deepEqual(rows, ["[b]", "[ml]", "1", "3"]);
});

test("the sentence says of how many jobs these are the groups", () => {
    assert.equal(groupsSentence(3, 1400, false), "3 groups of the 1,400 newest that match");
    assert.equal(groupsSentence(1, 1, true), "1 group of 1 job: all that match");
});

test("the keys of labels are offered, so many and no more", () => {
    assert.deepEqual(labelKeys([job("1", { labels: { b: "1", a: "2" } })]), ["a", "b"]);
    const labels = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`k${i}`, ""]));
    assert.equal(labelKeys([job("1", { labels })]).length, 50);
});
