import { returnFocus } from "./focus.ts";

/** Copies a text. navigator.clipboard exists in secure contexts only. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = document.activeElement;
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "unseen";
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    returnFocus(before);
    return isCopied;
  }
}
