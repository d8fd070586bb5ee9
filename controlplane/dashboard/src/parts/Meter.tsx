/* Meter.tsx - how much of an amount is taken, as a bar whose pattern says the same as its colour. */
import { percent } from "../text/amount";
import "./Meter.css";

type MeterProps = { label: string; used: number; total: number; format(amount: number): string };

export function Meter({ label, used, total, format }: MeterProps) {
    const share = percent(used, total);
    return (
        <div class="meter">
            <span class="meter-label">{label}</span>
            <span
                class="meter-track"
                role="meter"
                aria-label={`${label} allocated`}
                aria-valuemin={0}
                aria-valuemax={100}
                aria-valuenow={share}
                aria-valuetext={`${format(used)} of ${format(total)}`}
            >
                <span class={`meter-fill${share >= 90 ? " full" : ""}`} style={{ width: `${share}%` }} />
            </span>
            <span class="meter-text">
                {format(used)} <span class="quiet">/ {format(total)}</span>
            </span>
        </div>
    );
}
