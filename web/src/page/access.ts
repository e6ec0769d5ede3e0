import { type OpenedLink, readSession, ServerError, type Session } from "./api.ts";
import { texts } from "./texts.ts";

export type Scope = "read" | "list" | "write" | "delete" | "link";

let session: Session = { required: false, signedIn: false };

export const takesPin = (): boolean => session.pin === true;

/** Asks who we are. A server that is embedded without sessions has no tokens either. */
export async function refreshSession(): Promise<Session> {
  try {
    session = await readSession();
  } catch (error) {
    if (!(error instanceof ServerError) || error.status !== 404) throw error;
    session = { required: false, signedIn: false };
  }
  return session;
}

export const current = (): Session => session;
export const mustSignIn = (): boolean => session.required && !session.signedIn && !session.link && !session.scopes?.length;
/** The user has not signed in, and may read nevertheless. */
export const isPublic = (): boolean => session.required && !session.signedIn && !session.link && !mustSignIn();
/** The link to a folder by which the page was opened. */
export const link = (): OpenedLink | undefined => session.link ?? undefined;
export const isDrop = (): boolean => session.link?.kind === "drop";
/** Whether pictures and documents may be loaded before the user opens them: each counts where downloads are limited. */
export const mayLookAhead = (): boolean => !session.link?.limited;
/** Whose uploads those are that were begun. */
export const owner = (): string => (session.link ? `link ${prefix()}` : session.name ?? "");
export const prefix = (): string => (session.prefix ?? "").replace(/\/+$/, "");

/** The name of the folder above all others. */
export const rootName = (): string => session.title || texts.files;

/** Whether deleted files are kept and may be listed, so that they can be restored for a while. */
export const hasTrash = (): boolean => session.trash != null && may("delete") && may("list");
export const canRestore = (): boolean => hasTrash() && may("write");

/** Whether the token may do this at all, and to this name. Other actions are not offered. */
export function may(scope: Scope, name?: string): boolean {
  if (scope === "link" && session.canLink !== true) return false;
  // Without tokens, too: a server may be for reading only.
  const scopes = session.scopes ?? (session.required ? [] : undefined);
  if (scopes && scope !== "link" && !mustSignIn() && !scopes.includes(scope)) return false;
  const within = prefix();
  return name === undefined || !within || name === within || name.startsWith(`${within}/`);
}
