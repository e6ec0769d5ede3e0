import { may } from "../access.ts";
import { addressOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import type { Listing } from "../list/listing.ts";
import { join, shown } from "../names.ts";
import { fileOf, folderOf, type PageState, pageState, titleOf } from "../places.ts";
import { texts } from "../texts.ts";
import { closeDialogs } from "../view/dialog.ts";
import type { MenuItem } from "../view/menu.ts";
import { Viewer } from "./viewer.ts";

/** After which a step back that the browser did not report is taken for done. A report that comes later closes what was opened meanwhile. */
const backMs = 3000;

export interface OpenFileEvents {
  enter(folder: string): void;
  go(folder: string): void;
  focus(name: string): void;
  open(entry: Entry): void;
  menu(entry: Entry, folder: string): MenuItem[];
  key(event: KeyboardEvent, entry: Entry): void;
  canWrite(): boolean;
  signIn(reason: string): void;
}

/** The file that is shown over the folder. It has its own entry in the history, so that "Back" closes it. */
export class OpenFile {
  private viewer: Viewer | undefined;
  /** The file to show when the list has it: the person came back to it, or loaded the page again. */
  private wanted: string | undefined;
  /** A step back in the history that was begun here. */
  private returning: Promise<void> | undefined;

  constructor(private readonly listing: Listing, private readonly events: OpenFileEvents) {}

  get isDirty(): boolean {
    return this.viewer?.isDirty === true;
  }

  /** Acts when no step back is under way. */
  whenReturned(act: () => void): void {
    if (this.returning) void this.returning.then(() => this.whenReturned(act));
    else act();
  }

  open(entry: Entry): void {
    this.whenReturned(() => {
      history.pushState({ preview: entry.name } satisfies PageState, "");
      this.look(entry);
    });
  }

  /** A folder was entered, whose entry in the history may have a file. */
  recall(): void {
    this.wanted = pageState().preview;
  }

  /** The entries have changed. */
  refresh(): void {
    this.viewer?.refresh();
    this.showWanted();
  }

  changed(removed: string[], added: Entry[]): void {
    this.viewer?.changed(removed, added);
  }

  /** One step back or forward: between folders, or between a folder and a file that is shown over it. */
  stepped(): void {
    if (this.viewer?.isDirty) {
      // The step is taken back, and repeated if nothing is to be kept.
      const { viewer } = this;
      history.pushState({ preview: viewer.name } satisfies PageState, "", addressOf(this.listing.folder, true));
      viewer.leave(() => history.back());
      return;
    }
    const folder = folderOf(location.pathname);
    const { preview } = pageState();
    const viewer = this.leaveViewer();
    if (folder !== this.listing.folder) {
      closeDialogs();
      this.events.enter(folder);
    } else if (viewer) {
      closeDialogs();
      this.events.focus(viewer.name);
    }
    this.wanted = preview;
    this.showWanted();
  }

  /** A link in a document: to a folder, or to a file that is shown over its folder. */
  follow(url: URL): void {
    const folder = folderOf(url.pathname);
    const name = url.pathname.endsWith("/") ? undefined : fileOf(url.pathname);
    // The document stays in the history: "Back" leads to it.
    this.leaveViewer()?.close();
    const entry = name !== undefined && folder === this.listing.folder ? this.listing.find(name) : undefined;
    if (entry) this.events.open(entry);
    else {
      this.events.go(folder);
      if (name === undefined) return;
      history.replaceState({ preview: name } satisfies PageState, "");
      this.wanted = name;
    }
  }

  private showWanted(): void {
    const { listing, wanted } = this;
    if (wanted === undefined || this.viewer) return;
    const entry = listing.find(wanted);
    if (entry) {
      this.wanted = undefined;
      this.look(entry);
    } else if (listing.complete && listing.all > 0) this.wanted = undefined;
  }

  private look(entry: Entry): void {
    const { folder } = this.listing;
    const viewer: Viewer = new Viewer(folder, entry, {
      neighbour: (from, step) => this.neighbour(from, step),
      position: (of) => this.position(of),
      actions: (of) => this.events.menu(of, folder),
      key: (event, of) => this.events.key(event, of),
      shown: (of) => {
        document.title = `${shown(of.name)} – ${titleOf(folder)}`;
        history.replaceState({ preview: of.name } satisfies PageState, "");
      },
      closed: (of) => {
        if (this.viewer !== viewer) return;
        this.leaveViewer();
        if (folder !== this.listing.folder) return;
        this.events.focus(of.name);
        if (pageState().preview !== undefined) this.stepBack();
      },
      follow: (url) => viewer.leave(() => this.follow(url)),
      canEdit: (of) => this.events.canWrite() && may("write", join(folder, of.name)),
      saved: (of) => folder === this.listing.folder && this.listing.change([of.name], [of]),
      signIn: () => this.events.signIn(texts.ended),
    });
    this.viewer = viewer;
  }

  /** Forgets the viewer. Its actions on closing are done already, or not wanted. */
  private leaveViewer(): Viewer | undefined {
    const { viewer } = this;
    this.viewer = undefined;
    document.title = titleOf(this.listing.folder);
    return viewer;
  }

  /** Leaves the history's entry of a file that was closed otherwise than by "Back". */
  private stepBack(): void {
    this.returning = new Promise<void>((resolve) => {
      addEventListener("popstate", () => resolve(), { once: true });
      setTimeout(resolve, backMs);
    }).then(() => (this.returning = undefined));
    history.back();
  }

  private position(entry: Entry): { at: number; all: number } {
    const { listing } = this;
    const own = listing.rowOf(entry.name);
    let at = 0, all = 0;
    for (let row = 0; row < listing.length; row++) {
      if (listing.at(row)!.isFolder) continue;
      all++;
      if (row === own) at = all;
    }
    return { at, all };
  }

  private neighbour(entry: Entry, step: number): Entry | undefined {
    for (let row = this.listing.rowOf(entry.name) + step; row >= 0 && row < this.listing.length; row += step) {
      const other = this.listing.at(row);
      if (other && !other.isFolder) return other;
    }
    return undefined;
  }
}
