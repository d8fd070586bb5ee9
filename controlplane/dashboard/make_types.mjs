/* make_types.mjs - writes src/api/types.ts from the control plane's own description of its API.
 *
 *     curl -H "Authorization: Bearer $TOKEN" $URL/v1/openapi.json >openapi.json
 *     node make_types.mjs openapi.json >src/api/types.ts
 *
 * Only the schemas become types: the paths are few, and written where they are asked. */
import { readFileSync } from "node:fs";

const LINE_MAX = 110;
const schemas = JSON.parse(readFileSync(process.argv[2], "utf8")).components.schemas;

const nameOf = (ref) => ref.slice(ref.lastIndexOf("/") + 1);
const key = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

function typeOf(schema) {
    if (schema.$ref) return nameOf(schema.$ref);
    if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(" | ");
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return choices.map(typeOf).join(" | ");
    if (Array.isArray(schema.type)) {
        return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
    }
    switch (schema.type) {
        case "integer":
        case "number":
            return "number";
        case "boolean":
        case "string":
        case "null":
            return schema.type;
        case "array":
            return `Array<${typeOf(schema.items)}>`;
        case "object":
            return schema.properties ? membersOf(schema, "    ") : `Record<string, ${valuesOf(schema)}>`;
        default:
            return "unknown";
    }
}

function valuesOf(schema) {
    return typeof schema.additionalProperties === "object" ? typeOf(schema.additionalProperties) : "unknown";
}

function wrap(text, indent) {
    const lines = [""];
    for (const word of text.split(/\s+/)) {
        if (indent.length + 3 + lines.at(-1).length + word.length + 1 > LINE_MAX - 3) lines.push("");
        lines[lines.length - 1] += (lines.at(-1) ? " " : "") + word;
    }
    return lines.join(`\n${indent} * `);
}

function membersOf(schema, indent) {
    const required = new Set(schema.required ?? []);
    const members = Object.entries(schema.properties).map(([name, member]) => {
        const comment = member.description ? `${indent}/** ${wrap(member.description, indent)} */\n` : "";
        const line = `${indent}${key(name)}${required.has(name) ? "" : "?"}: ${typeOf(member)};`;
        return comment + (line.length > LINE_MAX ? line.replaceAll(" | ", `\n${indent}    | `) : line);
    });
    return `{\n${members.join("\n")}\n${indent.slice(4)}}`;
}

function declarationOf(name, schema) {
    const comment = schema.description ? `/** ${wrap(schema.description, "")} */\n` : "";
    const line = `export type ${name} = ${typeOf(schema)};`;
    const choices = schema.oneOf ?? schema.anyOf;
    return comment + (choices && line.length > LINE_MAX ? line.replaceAll(/ (=|\|) /g, " $1\n    ") : line);
}

process.stdout.write(
    "/* types.ts - the objects of /v1.  Made by make_types.mjs from /v1/openapi.json; change that, not this. */\n\n" +
        Object.entries(schemas)
            .map(([name, schema]) => declarationOf(name, schema))
            .join("\n\n") +
        "\n",
);
