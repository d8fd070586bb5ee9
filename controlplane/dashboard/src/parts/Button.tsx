/* Button.tsx - a button, and the one that copies a text. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { addNote } from "../store/notes";
import "./Button.css";
import { Icon, type IconName } from "./Icon";

type ButtonProps = Omit<JSX.HTMLAttributes<HTMLButtonElement>, "icon"> & {
    look?: "plain" | "primary" | "danger" | "ghost";
    icon?: IconName;
    isBusy?: boolean;
    disabled?: boolean;
    type?: "button" | "submit";
    children?: ComponentChildren;
};

export function Button({
    look = "plain",
    icon,
    isBusy,
    disabled,
    type = "button",
    children,
    ...rest
}: ButtonProps) {
    return (
        <button
            {...rest}
            type={type}
            class={`button ${look}${children ? "" : " icon-only"}`}
            disabled={disabled || isBusy}
            aria-busy={isBusy}
        >
            {icon && <Icon name={icon} />}
            {children}
        </button>
    );
}

const COPIED_MS = 1500;

/** Says what it did where it stands; `label` names what is copied. */
export function CopyButton({
    text,
    label,
    children,
}: {
    text: string;
    label: string;
    children?: ComponentChildren;
}) {
    const [isCopied, setCopied] = useState(false);
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(text);
            setCopied(true);
            window.setTimeout(() => setCopied(false), COPIED_MS);
        } catch {
            addNote("The browser does not let this page copy: select the text and copy it yourself.", true);
        }
    };
    return (
        <Button
            look="ghost"
            icon={isCopied ? "check" : "copy"}
            aria-label={isCopied ? `copied ${label}` : `copy ${label}`}
            title={isCopied ? "copied" : `copy ${label}`}
            onClick={() => void copy()}
        >
            {children}
        </Button>
    );
}
