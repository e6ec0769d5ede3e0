import { readdirSync, readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { texts } from "../src/page/texts.ts";

const folder = new URL("../src/page/public/", import.meta.url);
/** What a language has beside the texts. */
const own = ["language", "direction", "number", "group", "decimal"];

/** The texts that a translation lacks, and those that it has for nothing. */
function differences(english: unknown, other: unknown, path: string): string[] {
  if (typeof english === "string" || typeof english === "function") return typeof other === "string" && other !== "" ? [] : [path];
  if (Array.isArray(english)) return Array.isArray(other) && other.length === english.length && other.every((one) => typeof one === "string") ? [] : [path];
  const there = (other ?? {}) as Record<string, unknown>;
  const keys = new Set([...Object.keys(english as object), ...Object.keys(there)].filter((key) => path !== "" || !own.includes(key)));
  return [...keys].flatMap((key) => {
    const mine = (english as Record<string, unknown>)[key];
    return mine === undefined ? [`${path}${key}, which is none`] : differences(mine, there[key], `${path}${key}${typeof mine === "object" && !Array.isArray(mine) ? "." : ""}`);
  });
}

/** Stops the build if the texts of a language are not those of the page. */
export function completeTexts(): Plugin {
  return {
    name: "millrace-texts",
    buildStart() {
      for (const name of readdirSync(folder).filter((file) => /^texts\..*\.json$/.test(file))) {
        const found = differences(texts, JSON.parse(readFileSync(new URL(name, folder), "utf8")), "");
        if (found.length > 0) this.error(`${name}: ${found.join("; ")}`);
      }
    },
  };
}
