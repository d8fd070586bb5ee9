import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageGroup } from "../api/types";
import { usageCsv, usageRows } from "./usage_rows";

const GROUPS: UsageGroup[] = [
    {
        queue: "ml",
        attempts: 3,
        held: {
            replicaMillis: 7_200_000,
            cpuMillis: 28_800_000,
            memoryMibMillis: 3_686_400_000,
            gpuMillis: 3_600_000,
        },
        measured: {
            attempts: 3,
            heldCpuMillis: 28_800_000,
            cpuMillis: 14_400_000,
            memoryBytes: 1,
            readBytes: 0,
            writtenBytes: 0,
        },
    },
    { queue: null, attempts: 1, held: { replicaMillis: 0, cpuMillis: 0, memoryMibMillis: 0, gpuMillis: 0 } },
];

test("groups are rows, also where nothing was measured or has a name", () => {
    const rows = usageRows(GROUPS, "queue");
    assert.deepEqual(
        rows.map((row) => [row.name, row.usedCpuMillis]),
        [
            ["ml", 14_400_000],
            ["a queue without a name", 0],
        ],
    );
});

test("CSV is in hours", () => {
    assert.deepEqual(usageCsv(usageRows(GROUPS, "queue"), "queue")[1], ["ml", 3, 2, 8, 1, 1, 4]);
});
