/* ResourceMeters.tsx - CPU, memory, GPUs and named resources of a cluster or a node. */
import type { Resources } from "../api/types";
import { formatBytes, formatCores, formatCount } from "../text/amount";
import { Meter } from "./Meter";

type Holder = { total: Resources; free: Resources };

const NAMED_MAX = 8;
/** Named resources are counts of devices, but for these, which are bytes. */
const BYTES = /^(ephemeral-storage|hugepages-)/;

/** Named resources only where there is room for them. */
export function ResourceMeters({ total, free, hasNamed = false }: Holder & { hasNamed?: boolean }) {
    const named = hasNamed ? Object.entries(total.named).slice(0, NAMED_MAX) : [];
    return (
        <div class="meters">
            <Meter
                label="CPU"
                used={total.cpuMilli - free.cpuMilli}
                total={total.cpuMilli}
                format={formatCores}
            />
            <Meter
                label="Memory"
                used={total.memoryBytes - free.memoryBytes}
                total={total.memoryBytes}
                format={formatBytes}
            />
            {total.gpus > 0 && (
                <Meter label="GPUs" used={total.gpus - free.gpus} total={total.gpus} format={formatCount} />
            )}
            {named.map(([name, amount]) => (
                <Meter
                    key={name}
                    label={name}
                    used={amount - (free.named[name] ?? 0)}
                    total={amount}
                    format={BYTES.test(name) ? formatBytes : formatCount}
                />
            ))}
        </div>
    );
}
