/* Labels.tsx - labels as small plates that lead to the jobs that carry them. */
import { Link } from "wouter-preact";
import "./Labels.css";

const SHOWN_MAX = 32;

export function Labels({ labels }: { labels: Record<string, string> }) {
    return (
        <span class="labels">
            {Object.entries(labels)
                .slice(0, SHOWN_MAX)
                .map(([key, value]) => (
                    <Link
                        key={key}
                        class="label-plate"
                        href={`/jobs?q=${encodeURIComponent(`label:${key}=${value}`)}`}
                        title={`jobs with ${key}=${value}`}
                    >
                        <span class="quiet">{key}</span> {value}
                    </Link>
                ))}
        </span>
    );
}
