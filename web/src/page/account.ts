import { current, isPublic, mustSignIn, refreshSession } from "./access.ts";
import { ServerError, signIn, signOut, urlOf } from "./api.ts";
import { join } from "./names.ts";
import { fileOf, folderOf } from "./places.ts";
import { texts } from "./texts.ts";
import { notify } from "./view/notices.ts";
import { askForPassword, askForToken } from "./view/signIn.ts";

export interface AccountEvents {
  /** Someone may see the files. */
  entered(): void;
  /** Nobody may see them until someone has signed in. */
  left(): void;
  /** Who one is, and what one may do, have changed. */
  changed(): void;
  /** The next person may not see what this one has seen and uploaded. */
  forget(): void;
}

/** Signing in and out. */
export class Account {
  private signingIn: Promise<void> | undefined;

  constructor(private readonly events: AccountEvents) {}

  /** Once for all that ask for it meanwhile. */
  signIn(reason: string): Promise<void> {
    this.signingIn ??= this.ask(reason).finally(() => (this.signingIn = undefined));
    return this.signingIn;
  }

  async signOut(): Promise<void> {
    try {
      await signOut();
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      notify(error.message, true);
      return;
    }
    this.events.forget();
    await refreshSession();
    this.events.changed();
    if (mustSignIn()) await this.signIn(texts.signedOut);
    else {
      notify(texts.signedOut);
      this.events.entered();
    }
  }

  private async ask(reason: string): Promise<void> {
    const before = current();
    if (before.link) {
      await askForPassword();
      if (!location.pathname.endsWith("/")) location.replace(urlOf(join(folderOf(location.pathname), fileOf(location.pathname))));
      await refreshSession();
      this.events.entered();
      return;
    }
    // Where a session has ended, some may be allowed without one.
    if (before.signedIn && before.public) await refreshSession().catch(() => undefined);
    if (mustSignIn()) this.events.left();
    if (!(await askForToken(reason, isPublic()))) {
      this.events.changed();
      return;
    }
    // A file's own address shows the file, now that it may.
    if (!location.pathname.endsWith("/")) location.reload();
    await refreshSession();
    const now = current();
    if (before.signedIn && (now.name !== before.name || now.prefix !== before.prefix)) this.events.forget();
    this.events.entered();
  }
}

/** Signs in with the PIN of a QR code, which must not stay in the history. */
export async function redeemPin(): Promise<boolean> {
  const pin = /^#pin=(\d{6})$/.exec(location.hash)?.[1];
  if (!pin) return false;
  history.replaceState(history.state, "", location.pathname + location.search);
  return signIn(pin).then(() => true, () => false);
}
