/* pool.ts - work on many things, a few at a time.  Pure. */

/** Runs `work` on all items, `most` at once, and gives the errors of those that failed. */
export async function runAll<T>(
    items: readonly T[],
    most: number,
    work: (item: T) => Promise<unknown>,
): Promise<Array<{ item: T; error: unknown }>> {
    const failures: Array<{ item: T; error: unknown }> = [];
    const rest = items.values();
    const worker = async () => {
        for (const item of rest) {
            try {
                await work(item);
            } catch (error) {
                failures.push({ item, error });
            }
        }
    };
    await Promise.all(Array.from({ length: most }, worker));
    return failures;
}
