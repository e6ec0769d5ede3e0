import { takesPin } from "../access.ts";
import { openLink, signIn } from "../api.ts";
import { given, useSecret } from "../link.ts";
import { texts } from "../texts.ts";
import { askForSecret } from "./askForSecret.ts";

let open: Promise<boolean> | undefined;

/** Asks for a token or a PIN. Returns whether someone has signed in. */
export function askForToken(reason: string, mayClose: boolean): Promise<boolean> {
  const isPin = takesPin();
  open ??= askForSecret({
    title: texts.signInTitle, hint: reason, submit: texts.signIn, mayClose, label: isPin ? texts.pin : texts.token,
    input: { type: isPin ? "text" : "password", name: "token", autocomplete: isPin ? "one-time-code" : "current-password", inputmode: isPin && "numeric" },
    send: (secret) => signIn(secret.replace(/\s/g, "")),
    problem: (error) => (error.status === 401 || error.status === 400 ? (isPin ? texts.wrongPin : texts.wrongToken) : error.status === 429 ? undefined : error.detail || undefined),
  }).finally(() => (open = undefined));
  return open;
}

/** Asks for the password of the link by which the page was opened. */
export const askForPassword = (): Promise<unknown> => askForSecret({
  title: texts.linkLocked, hint: texts.linkLockedHint, submit: texts.open, mayClose: false, label: texts.linkPasswordAsk,
  input: { type: "password", name: "password", autocomplete: "off" },
  send: async (secret) => useSecret(await openLink(given, secret)),
  problem: (error) => (error.status === 401 ? texts.wrongPassword : undefined),
});
