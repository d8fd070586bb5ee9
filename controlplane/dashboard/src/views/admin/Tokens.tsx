/* Tokens.tsx - tokens of the API and their owners; makes a new one, and ends one. */
import { useEffect, useState } from "preact/hooks";
import { send, toProblem, withQuery } from "../../api/client";
import type { QueuePage, Token, TokenPage, TokenRevoked, TokenWithSecret } from "../../api/types";
import { Button } from "../../parts/Button";
import { Confirm, Dialog } from "../../parts/Dialog";
import { CommandLine, Loaded } from "../../parts/Feedback";
import { Ago, Time } from "../../parts/Time";
import { addNote } from "../../store/notes";
import { useResource } from "../../store/resource";
import { token as ownToken } from "../../store/session";
import { countOf, formatCount } from "../../text/amount";
import "./Tokens.css";

const TOKENS_MAX = 200;
const DAY_S = 86_400;
const NAMES_SHOWN = 20;

const SCOPES: ReadonlyArray<{ scope: Token["scopes"][number]; words: string }> = [
    { scope: "read", words: "see jobs, logs, clusters" },
    { scope: "submit", words: "submit jobs and run them again" },
    { scope: "cancel", words: "cancel, hold, release, edit" },
    { scope: "exec", words: "enter jobs that run" },
    { scope: "delegate", words: "act for other people" },
    { scope: "admin", words: "all of these, and the fleet" },
    { scope: "outlive", words: "make tokens that count for longer than itself" },
];

function CreateDialog({ onClose, onMade }: { onClose(): void; onMade(token: TokenWithSecret): void }) {
    const queues = useResource<QueuePage>("/v1/queues");
    const [name, setName] = useState("");
    const [owner, setOwner] = useState("");
    const [queue, setQueue] = useState("");
    const [days, setDays] = useState(90);
    const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set(["read", "submit"]));
    const toggle = (scope: string) => {
        const next = new Set(scopes);
        if (!next.delete(scope)) next.add(scope);
        setScopes(next);
    };
    const create = async () => {
        const body = {
            name,
            scopes: [...scopes],
            ttlSeconds: Math.round(days * DAY_S),
            ...(owner ? { owner } : {}),
            ...(queue ? { queue } : {}),
        };
        onMade(await send<TokenWithSecret>("POST", "/v1/tokens", body));
    };
    return (
        <Confirm
            title="New token"
            verb="Create"
            isReady={name !== "" && scopes.size > 0}
            act={create}
            onClose={onClose}
        >
            <label class="field">
                <span>Name: a-z, 0-9 and '-'</span>
                <input
                    autofocus
                    maxLength={63}
                    value={name}
                    onInput={(event) => setName(event.currentTarget.value)}
                />
            </label>
            <fieldset class="scopes">
                <legend>It may</legend>
                {SCOPES.map(({ scope, words }) => (
                    <label key={scope} class="check">
                        <input type="checkbox" checked={scopes.has(scope)} onChange={() => toggle(scope)} />
                        <strong>{scope}</strong> <span class="quiet">{words}</span>
                    </label>
                ))}
            </fieldset>
            <div class="token-fields">
                <label class="field">
                    <span>Owner (yours without it)</span>
                    <input
                        maxLength={63}
                        value={owner}
                        onInput={(event) => setOwner(event.currentTarget.value)}
                    />
                </label>
                <label class="field">
                    <span>For</span>
                    <select value={queue} onChange={(event) => setQueue(event.currentTarget.value)}>
                        <option value="">all queues</option>
                        {(queues.data?.queues ?? []).map((it) => (
                            <option key={it.name} value={it.name}>
                                {it.name}
                            </option>
                        ))}
                    </select>
                </label>
                <label class="field">
                    <span>Days</span>
                    <input
                        type="number"
                        min={1}
                        max={3650}
                        value={days}
                        onInput={(event) => setDays(Number(event.currentTarget.value) || 1)}
                    />
                </label>
            </div>
        </Confirm>
    );
}

/** The one time that the text is shown: it is kept in this dialog alone, and goes with it. */
function SecretDialog({ made, onClose }: { made: TokenWithSecret; onClose(): void }) {
    return (
        <Dialog title={`Token ${made.name}`} onClose={onClose}>
            <p>This is its text. It is shown now and never again.</p>
            <CommandLine command={made.token} />
            <p class="quiet">
                It counts until <Time at={made.expiresAt} />.
            </p>
            <div class="dialog-actions">
                <Button look="primary" onClick={onClose}>
                    I have it
                </Button>
            </div>
        </Dialog>
    );
}

function RevokeDialog({ token, onClose }: { token: Token; onClose(): void }) {
    const [isWithMade, setWithMade] = useState(false);
    const [preview, setPreview] = useState<readonly Token[]>([]);
    const path = `/v1/tokens/${token.id}`;
    useEffect(() => {
        send<TokenRevoked>("DELETE", withQuery(path, { made: "true", dryRun: "true" })).then(
            ({ tokens = [] }) => setPreview(tokens.filter((it) => it.id !== token.id)),
            (thrown: unknown) => addNote(toProblem(thrown).detail, true),
        );
    }, [path, token.id]);
    const revoke = async () => {
        const { revoked = 1 } = await send<TokenRevoked>(
            "DELETE",
            isWithMade ? withQuery(path, { made: "true" }) : path,
        );
        addNote(`${countOf(revoked, "token")} revoked.`);
    };
    return (
        <Confirm title={`Revoke ${token.name}?`} verb="Revoke" isDanger act={revoke} onClose={onClose}>
            <p>
                {token.id === ownToken.value?.id
                    ? "This is the token that you are signed in with: the page will ask for another one. "
                    : "The control plane refuses it from now on. "}
                This cannot be taken back.
            </p>
            {preview.length > 0 && (
                <label class="check">
                    <input
                        type="checkbox"
                        checked={isWithMade}
                        onChange={(event) => setWithMade(event.currentTarget.checked)}
                    />
                    <span>
                        And the {countOf(preview.length, "token")} that it made:{" "}
                        {preview
                            .slice(0, NAMES_SHOWN)
                            .map((it) => it.name)
                            .join(", ")}
                        {preview.length > NAMES_SHOWN && " ..."}
                    </span>
                </label>
            )}
        </Confirm>
    );
}

function Rows({ tokens, onRevoke }: { tokens: readonly Token[]; onRevoke(token: Token): void }) {
    return (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="tokens">
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">Name</th>
                        <th scope="col">Id</th>
                        <th scope="col">Owner</th>
                        <th scope="col">May</th>
                        <th scope="col">Queue</th>
                        <th scope="col">Last used</th>
                        <th scope="col">Counts until</th>
                        <th scope="col">
                            <span class="hidden-text">actions</span>
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {tokens.map((token) => (
                        <tr key={token.id}>
                            <td class="text">
                                {token.name}
                                {token.id === ownToken.value?.id && <span class="quiet"> (yours)</span>}
                            </td>
                            <td class="mono quiet">{token.id}</td>
                            <td>{token.owner}</td>
                            <td>{token.scopes.join(", ")}</td>
                            <td>{token.queue ?? <span class="quiet">all</span>}</td>
                            <td>
                                {token.lastUsedAt ? (
                                    <>
                                        <Ago at={token.lastUsedAt} />
                                    </>
                                ) : (
                                    <span class="quiet">not since its start</span>
                                )}
                            </td>
                            <td>{token.expiresAt ? <Time at={token.expiresAt} /> : "for ever"}</td>
                            <td class="number">
                                <Button look="danger" onClick={() => onRevoke(token)}>
                                    Revoke
                                </Button>
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

export function Tokens() {
    const [isCreating, setCreating] = useState(false);
    const [made, setMade] = useState<TokenWithSecret>();
    const [revoked, setRevoked] = useState<Token>();
    const tokens = useResource<TokenPage>(withQuery("/v1/tokens", { limit: TOKENS_MAX }));
    return (
        <section class="stack" aria-label="tokens of the API">
            <div class="row">
                <p class="quiet">
                    A token speaks for a person or a program. Its text is known to its owner alone.
                </p>
                <span class="spread" />
                <Button icon="key" onClick={() => setCreating(true)}>
                    New token
                </Button>
            </div>
            <Loaded resource={tokens}>
                {({ tokens: all, cursor }) => (
                    <>
                        <Rows tokens={all} onRevoke={setRevoked} />
                        {cursor && <p class="quiet">The first {formatCount(all.length)} are shown.</p>}
                    </>
                )}
            </Loaded>
            {isCreating && (
                <CreateDialog
                    onClose={() => setCreating(false)}
                    onMade={(token) => {
                        setMade(token);
                        tokens.reload();
                    }}
                />
            )}
            {made && <SecretDialog made={made} onClose={() => setMade(undefined)} />}
            {revoked && (
                <RevokeDialog
                    token={revoked}
                    onClose={() => {
                        setRevoked(undefined);
                        tokens.reload();
                    }}
                />
            )}
        </section>
    );
}
