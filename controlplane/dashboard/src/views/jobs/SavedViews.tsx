/* SavedViews.tsx - the views of the jobs by name: open, save, overwrite, rename, delete, and share by a link. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Button, CopyButton } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { Banner } from "../../parts/Feedback";
import { areStored, changeViews, savedViews } from "../../store/saved_views";
import {
    type JobView,
    type SavedView,
    VIEWS_MAX,
    VIEW_NAME_MAX,
    isSameView,
    renameView,
    saveView,
    viewPath,
    viewWords,
} from "../../text/saved_view";
import "./SavedViews.css";

type NameFormProps = {
    label: string;
    preset: string;
    verb(name: string): string;
    /** Takes the name, or says why not. */
    onName(name: string): string;
};

function NameForm({ label, preset, verb, onName }: NameFormProps) {
    const [name, setName] = useState(preset);
    const [fault, setFault] = useState("");
    const field = useRef<HTMLInputElement>(null);
    useEffect(() => {
        if (preset) field.current?.select();
    }, []);
    const take = (event: Event) => {
        event.preventDefault();
        setFault(onName(name.trim()));
    };
    return (
        <form class="row view-name-form" onSubmit={take}>
            <input
                ref={field}
                type="text"
                aria-label={label}
                placeholder="Name"
                maxLength={VIEW_NAME_MAX}
                value={name}
                onInput={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" look="primary" disabled={name.trim() === ""}>
                {verb(name.trim())}
            </Button>
            {fault && (
                <p class="field-fault" role="alert">
                    {fault}
                </p>
            )}
        </form>
    );
}

function ViewRow({ view, isShown, onOpen }: { view: SavedView; isShown: boolean; onOpen(): void }) {
    const [asked, setAsked] = useState<"rename" | "delete">();
    const rename = (name: string) => {
        if (!changeViews((views) => renameView(views, view.name, name)))
            return `Another view is named ${name}.`;
        setAsked(undefined);
        return "";
    };
    /* The same button asks and does, so that the focus stays. */
    const isSure = asked === "delete";
    const remove = () => {
        if (isSure) changeViews((views) => views.filter(({ name }) => name !== view.name));
        else setAsked("delete");
    };
    if (asked === "rename") {
        return (
            <li>
                <NameForm
                    label={`new name of ${view.name}`}
                    preset={view.name}
                    verb={() => "Rename"}
                    onName={rename}
                />
            </li>
        );
    }
    return (
        <li class="row">
            <Link href={viewPath(view)} aria-current={isShown ? "page" : undefined} onClick={onOpen}>
                <strong>{view.name}</strong>
                <span class="quiet">{viewWords(view)}</span>
            </Link>
            <Button
                look="ghost"
                icon="edit"
                aria-label={`rename ${view.name}`}
                onClick={() => setAsked("rename")}
            />
            <Button
                look={isSure ? "danger" : "ghost"}
                icon="close"
                aria-label={isSure ? undefined : `delete ${view.name}`}
                onClick={remove}
            >
                {isSure && "Delete it"}
            </Button>
        </li>
    );
}

function ViewsDialog({ shown, onClose }: { shown: JobView; onClose(): void }) {
    const views = savedViews.value;
    const save = (name: string) =>
        changeViews((before) => saveView(before, { ...shown, name }))
            ? ""
            : `There is room for ${VIEWS_MAX} views, and for queries of 1,000 letters.`;
    return (
        <Dialog title="Views" onClose={onClose}>
            {!areStored.value && (
                <Banner tone="warn">
                    This browser cannot store the views: they last until the page is closed.
                </Banner>
            )}
            {views.length === 0 && <p class="quiet">No view is saved in this browser yet.</p>}
            <ul class="view-list">
                {views.map((view) => (
                    <ViewRow key={view.name} view={view} isShown={isSameView(view, shown)} onOpen={onClose} />
                ))}
            </ul>
            <p class="quiet">Shown now: {viewWords(shown)}</p>
            <NameForm
                label="name of the view"
                preset=""
                verb={(name) => (views.some((view) => view.name === name) ? "Overwrite" : "Save")}
                onName={save}
            />
            <div class="dialog-actions">
                <CopyButton text={location.origin + viewPath(shown)} label="the link">
                    Copy link
                </CopyButton>
                <Button onClick={onClose}>Close</Button>
            </div>
        </Dialog>
    );
}

export function ViewsButton({ shown }: { shown: JobView }) {
    const [isOpen, setOpen] = useState(false);
    const here = savedViews.value.find((view) => isSameView(view, shown));
    return (
        <>
            <Button icon="view" onClick={() => setOpen(true)}>
                <span class="view-name">{here?.name ?? "Views"}</span>
            </Button>
            {isOpen && <ViewsDialog shown={shown} onClose={() => setOpen(false)} />}
        </>
    );
}
