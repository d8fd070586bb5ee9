/* Logo.tsx - the mark: an F whose arms are ropes through a fairlead. */
export function Logo({ size = 22 }: { size?: number }) {
    return (
        <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="8" fill="var(--accent)" />
            <path
                d="M10 24V8h13M10 16h9"
                fill="none"
                stroke="var(--accent-text)"
                stroke-width="3"
                stroke-linecap="round"
                stroke-linejoin="round"
            />
        </svg>
    );
}
