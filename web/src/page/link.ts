/** The link to a folder by which the page was opened: its secret takes the place of a token in every request. */
const key = "mr-link";
const storageKey = "millrace-link";

/** As it is in the address, which a person may copy; empty without one. */
export const given = new URLSearchParams(location.search).get(key) ?? "";

/** The one to use: after the password was given, another one, which is forgotten with the tab. */
let opened = given && stored();

function stored(): string {
  try {
    const kept = sessionStorage.getItem(storageKey) ?? "";
    return kept.startsWith(`${given}.`) ? kept : given;
  } catch {
    return given;
  }
}

export function useSecret(secret: string): void {
  opened = secret;
  try {
    sessionStorage.setItem(storageKey, secret);
  } catch {
    // Then the password is asked for after a reload.
  }
}

const withQuery = (url: string, secret: string): string => (secret ? `${url}${url.includes("?") ? "&" : "?"}${key}=${encodeURIComponent(secret)}` : url);

/** A URL of this server with the link. */
export const withLink = (url: string): string => withQuery(url, opened);

/** The same for the address bar. */
export const inAddress = (url: string): string => withQuery(url, given);

/** The field for requests whose URL the server chooses. */
export const linkField = (): Record<string, string> => (opened ? { Authorization: `Bearer ${opened}` } : {});
