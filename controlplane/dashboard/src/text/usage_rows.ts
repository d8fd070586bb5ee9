/* usage_rows.ts - a report of usage as rows of a table, and as CSV.  Pure. */
import type { UsageGroup } from "../api/types";

export type GroupKind = "queue" | "submittedBy" | "label" | "day";

export type UsageRow = {
    name: string;
    /** The value to ask for the jobs of this group alone; null: the API cannot. */
    value: string | null;
    attempts: number;
    replicaMillis: number;
    cpuMillis: number;
    gpuMillis: number;
    memoryMibMillis: number;
    /** CPU time used, and the CPU set aside for what was measured. */
    usedCpuMillis: number;
    measuredCpuMillis: number;
};

export function groupValue(group: UsageGroup, kind: GroupKind): string | null {
    return group[kind] ?? null;
}

const NAMELESS: Record<GroupKind, string> = {
    queue: "a queue without a name",
    submittedBy: "not known",
    label: "without this label",
    day: "not known",
};

export function usageRows(groups: readonly UsageGroup[], kind: GroupKind): UsageRow[] {
    return groups.map((group) => {
        const value = groupValue(group, kind);
        return {
            name: value ?? NAMELESS[kind],
            value,
            attempts: group.attempts,
            replicaMillis: group.held.replicaMillis,
            cpuMillis: group.held.cpuMillis,
            gpuMillis: group.held.gpuMillis,
            memoryMibMillis: group.held.memoryMibMillis,
            usedCpuMillis: group.measured?.cpuMillis ?? 0,
            measuredCpuMillis: group.measured?.heldCpuMillis ?? 0,
        };
    });
}

const HOUR_MS = 3_600_000;
const hours = (millis: number) => Number((millis / HOUR_MS).toFixed(4));

export function usageCsv(rows: readonly UsageRow[], kind: GroupKind): Array<Array<string | number>> {
    return [
        [kind, "attempts", "replica_hours", "cpu_hours", "gpu_hours", "memory_gib_hours", "cpu_hours_used"],
        ...rows.map((row) => [
            row.name,
            row.attempts,
            hours(row.replicaMillis),
            hours(row.cpuMillis),
            hours(row.gpuMillis),
            hours(row.memoryMibMillis / 1024),
            hours(row.usedCpuMillis),
        ]),
    ];
}
