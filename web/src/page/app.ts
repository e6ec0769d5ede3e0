import { h } from "../dom.ts";
import { current, hasTrash, isDrop, isPublic, link, may, mayLookAhead, mustSignIn, prefix, refreshSession, rootName, takesPin } from "./access.ts";
import { addressOf, paths, ServerError, signIn, signOut, stat, urlOf } from "./api.ts";
import type { Arrangement, Entry, SortKey } from "./entries.ts";
import { size } from "./format.ts";
import { dragRows } from "./list/drag.ts";
import { Grid } from "./list/grid.ts";
import { forgetFolders, remember, settingsOf, type View } from "./list/folderSettings.ts";
import { Listing } from "./list/listing.ts";
import { Readme, readmeOf } from "./list/readme.ts";
import { servedEntries } from "./list/served.ts";
import { inAddress } from "./link.ts";
import { baseName, join, parentOf, shown } from "./names.ts";
import { Viewer } from "./preview/viewer.ts";
import { texts } from "./texts.ts";
import { loadTus } from "./upload/loadTus.ts";
import { askAboutClash } from "./upload/clashDialog.ts";
import type { Gathered } from "./upload/gather.ts";
import { acceptFiles, chooseFiles, chooseFolder } from "./upload/intake.ts";
import { UploadPanel } from "./upload/panel.ts";
import { Queue } from "./upload/queue.ts";
import type { Task } from "./upload/task.ts";
import { Actions } from "./view/actions.ts";
import { closeDialogs } from "./view/dialog.ts";
import { returnFocus } from "./view/focus.ts";
import { DropPage } from "./view/drop.ts";
import { Head } from "./view/head.ts";
import { openHelp } from "./view/helpDialog.ts";
import { icons } from "./view/icons.ts";
import { openMenu } from "./view/menu.ts";
import { announce, noticeRegions, notify } from "./view/notices.ts";
import { askForPassword, askForToken } from "./view/signIn.ts";
import { placeholder } from "./view/state.ts";
import { Toolbar } from "./view/toolbar.ts";

/** A folder that was read so long ago is read again when the person comes back to it, also the part after its first page. */
const staleMs = 30_000;
/** While the page is visible and in use, the server is asked at this interval whether the folder has changed. */
const pollMs = 15_000;
const pollOnFocusMs = 1000;
/** After this time without input, the page stops asking: its requests would keep an idle session from ending. */
const inactiveMs = 5 * 60_000;
/** As many entries are asked for. */
const pageEntries = 1000;
const arrivalMs = 150;
/** After which a step back that the browser did not report is taken for done. */
const backMs = 500;

/** The state that an entry of the browser's history has beside its address. */
interface PageState {
  /** The page was loaded again for its cookie. */
  again?: boolean;
  /** The file that is shown over the folder. */
  preview?: string;
}

const pageState = (): PageState => (history.state as PageState | null) ?? {};

/** What would delay the first picture waits until it is there. */
const afterPaint = (act: () => void): unknown => requestAnimationFrame(() => setTimeout(act));

/** The page: one folder at a time, and the uploads. */
export class App {
  private arrangement: Arrangement = { sort: "name", descending: false, filter: "" };
  private failure: { status: number } | undefined;
  private readAt = 0;
  private polledAt = 0;
  private freeAt = Date.now();
  private activeAt = Date.now();
  private reveal: string | undefined;
  private view: View = "list";
  private viewer: Viewer | undefined;
  /** The file to show when the list has it: the person came back to it, or loaded the page again. */
  private reopen: string | undefined;
  /** A step back in the history that was begun here. */
  private returning: Promise<void> | undefined;
  private readonly arrived = new Map<string, Entry>();
  private arrivals = 0;
  private signingIn: Promise<void> | undefined;
  private readonly listing = new Listing(this.arrangement, () => this.show(), (status) => this.failed(status), () => this.read());
  private readonly grid = new Grid(this.listing, {
    open: (entry) => this.open(entry),
    menu: (anchor, point) => openMenu(this.actions.menu(this.grid.chosen), anchor, point),
    selected: () => this.toolbar.showChosen(this.grid.selection.size),
    sort: (key) => this.sort(key),
    key: (event) => this.pressedInGrid(event),
    hasMenu: () => true,
  });
  private readonly actions = new Actions({
    folder: () => this.listing.folder,
    chosen: () => this.grid.chosen,
    changed: (folder, removed, added) => folder === this.folder && this.changed(removed, added),
    open: (entry) => this.open(entry),
    reveal: (folder, name) => folder === this.folder && (this.reveal = name),
    show: (folder, name) => {
      this.go(folder);
      this.reveal = name;
    },
    restored: (names) => {
      const here = names.filter((name) => !this.folder || name.startsWith(`${this.folder}/`));
      const [first] = here;
      if (!first) return;
      if (here.length === 1 && parentOf(first) === this.folder) this.reveal = baseName(first);
      this.read();
    },
    signIn: () => void this.signIn(texts.ended),
    isTaken: (name) => this.listing.has(name),
  });
  private readonly toolbar: Toolbar = new Toolbar(this.arrangement, {
    arrange: (arrangement) => this.arrange(arrangement),
    show: (view) => this.showAs(view),
    toList: () => this.grid.focus(),
    refresh: () => this.read(),
    uploadFiles: () => void chooseFiles().then(this.uploader()),
    uploadFolder: () => void chooseFolder().then(this.uploader()),
    newFolder: () => this.actions.newFolder(),
    downloadFolder: () => this.actions.downloadFolder(),
    openTrash: () => this.actions.openTrash(),
    countSize: () => this.actions.size([{ name: "", isFolder: true, size: 0, modified: 0 }]),
    shareFolder: () => this.actions.shareFolder(this.folder),
    links: () => this.actions.links(),
    can: () => ({
      upload: this.canWrite, makeFolder: this.canWrite && may("list"), archive: this.actions.canArchive && may("read", this.folder || undefined), list: may("list"), trash: hasTrash(),
      share: this.actions.canShareFolder(this.folder), links: current().folderLinks === true && may("link"),
    }),
    clearSelection: () => this.clearSelection(),
    chosenMenu: () => this.actions.menu(this.grid.selectedEntries),
  });
  private readonly head = new Head({ go: (folder) => this.go(folder), help: openHelp, signIn: () => void this.signIn(texts.signInHint), signOut: () => void this.signOut() });
  private readonly queue = new Queue({
    changed: () => this.panel.update(),
    uploaded: (task) => this.uploaded(task),
    folderMade: (folder) => this.appeared(folder, true, 0),
    // A visitor who may not see the files is not asked about them.
    clash: (task, others) => (isDrop() ? Promise.resolve({ choice: "keepBoth", forAll: true }) : askAboutClash(task, others)),
    signIn: () => void this.signIn(texts.ended),
  });
  private readonly panel: UploadPanel = new UploadPanel(this.queue);
  private readonly dropPage = new DropPage(() => void chooseFiles().then(this.uploader()), () => void chooseFolder().then(this.uploader()));
  private readonly readme = new Readme((url) => this.follow(url));
  private readonly status = h("p", { class: "status-line quiet small" });
  private readonly empty = h("div", { class: "empty-area", hidden: true });

  /** Takes the place of the plain listing. */
  async start(): Promise<void> {
    try {
      await refreshSession();
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      // The plain listing stays, which is better than nothing.
      document.body.classList.add("alone");
      return;
    }
    const asked = location.pathname;
    const isFile = !asked.endsWith("/");
    const isAgain = pageState().again === true;
    const refused = document.documentElement.dataset.status;
    if (refused === "401" && !mustSignIn() && !link() && !isAgain) {
      // A link on another site led here. The browser sent no cookie with it, and does with a request of this page.
      history.replaceState({ again: true }, "");
      location.reload();
      return;
    }
    const served = servedEntries();
    document.body.className = "app";
    document.body.replaceChildren(
      h("a", { class: "skip", href: "#list", click: (event: MouseEvent) => {
        event.preventDefault();
        this.grid.focus();
      } }, texts.skip),
      this.head.element, this.toolbar.element, h("main", { tabindex: -1 }, this.grid.element, this.empty), h("footer", { class: "foot" }, this.status), this.panel.element, ...noticeRegions);
    this.grid.element.append(this.readme.element);
    this.grid.mount();
    new ResizeObserver(() => this.grid.cover(this.panel.element)).observe(this.panel.element);
    dragRows(this.grid.element, {
      folder: () => this.folder,
      start: (row) => this.grid.taken(row),
      folderOf: (row) => {
        const entry = this.grid.entryOf(row);
        return entry?.isFolder ? join(this.folder, entry.name) : undefined;
      },
      can: (entries, to, isCopy) => this.actions.canDrop(entries, to, isCopy),
      drop: (entries, from, to, isCopy) => void (isCopy ? this.actions.copyTo(entries, from, to) : this.actions.moveTo(entries, from, to)),
    });
    acceptFiles(() => this.uploader(), () => this.canWrite, () => this.folder || rootName());
    addEventListener("popstate", () => this.stepped());
    addEventListener("keydown", (event) => this.pressed(event));
    addEventListener("beforeunload", (event) => this.viewer?.isDirty && event.preventDefault());
    document.addEventListener("visibilitychange", () => this.keepCurrent(pollOnFocusMs));
    addEventListener("focus", () => this.keepCurrent(pollOnFocusMs));
    for (const type of ["pointermove", "pointerdown", "keydown", "wheel"]) addEventListener(type, () => (this.activeAt = Date.now()), { capture: true, passive: true });
    setInterval(() => Date.now() - this.activeAt < inactiveMs && this.keepCurrent(pollMs), pollMs);
    this.head.showAccount();
    const folder = folderOf(location.pathname);
    this.head.show(folder);
    if (mustSignIn() && (await redeemPin())) {
      location.reload();
      return;
    }
    if (mustSignIn() || link()?.state === "locked") await this.signIn(takesPin() ? texts.pinHint : texts.signInHint);
    else {
      if (isFile) {
        history.replaceState(null, "", addressOf(folder, true));
        notify(refused === "403" ? texts.errors.forbidden : texts.notHere(fileOf(asked)), true);
      }
      this.begin(served);
    }
    afterPaint(() => void loadTus().catch(() => undefined));
  }

  private get folder(): string {
    return this.listing.folder;
  }

  private get canWrite(): boolean {
    // A folder that a token is for may not be there yet; in another one that is not there, nothing can be made.
    const isGone = this.failure?.status === 404 && this.folder !== prefix();
    return !mustSignIn() && !isGone && may("write", this.folder || undefined);
  }

  private begin(served: Entry[] = []): void {
    const folder = folderOf(location.pathname);
    const within = prefix();
    // A token for one folder has nothing to see above it.
    if (within && folder !== within && !folder.startsWith(`${within}/`)) {
      history.replaceState(null, "", addressOf(within, true));
      this.enter(within);
    } else this.enter(folder, served);
    void this.queue.recall();
  }

  private go(folder: string): void {
    if (this.returning) {
      void this.returning.then(() => this.go(folder));
      return;
    }
    history.pushState(null, "", addressOf(folder, true));
    this.enter(folder);
  }

  /** One step back or forward: between folders, or between a folder and a file that is shown over it. */
  private stepped(): void {
    if (this.viewer?.isDirty) {
      // The step is taken back, and repeated if nothing is to be kept.
      const { viewer } = this;
      history.pushState({ preview: viewer.name } satisfies PageState, "", addressOf(this.folder, true));
      viewer.leave(() => history.back());
      return;
    }
    const folder = folderOf(location.pathname);
    const { preview } = pageState();
    const viewer = this.leaveViewer();
    if (folder !== this.folder) {
      closeDialogs();
      this.enter(folder);
    } else if (viewer) {
      closeDialogs();
      this.grid.focusName(viewer.name);
    }
    this.reopen = preview;
    this.showReopened();
  }

  private showReopened(): void {
    const { listing, reopen } = this;
    if (reopen === undefined || this.viewer) return;
    const entry = listing.find(reopen);
    if (entry) {
      this.reopen = undefined;
      this.look(entry);
    } else if (listing.complete && listing.all > 0) this.reopen = undefined;
  }

  /** Shows a folder: first the entries that the server sent with the page, if any, then those that the worker reads. */
  private enter(folder: string, served: Entry[] = []): void {
    const from = this.folder;
    this.reveal = from && parentOf(from) === folder ? baseName(from) : undefined;
    const { view, ...order } = settingsOf(folder);
    this.view = view;
    // A page without scripts has searched.
    const filter = new URLSearchParams(location.search).get("search") ?? "";
    if (location.search) history.replaceState(history.state, "", inAddress(location.pathname));
    this.arrangement = { ...order, filter };
    this.listing.use(this.arrangement);
    this.toolbar.show(this.arrangement, true);
    this.toolbar.showView(view);
    this.listing.folder = folder;
    this.arrived.clear();
    document.title = titleOf(folder);
    this.head.show(folder);
    this.grid.reset(this.reveal);
    this.listing.clear();
    this.readme.show(folder, undefined);
    this.grid.show(view);
    this.reopen = pageState().preview;
    if (served.length === 0) {
      this.read();
      return;
    }
    this.toolbar.showButtons();
    this.listing.preview(served);
    afterPaint(() => this.folder === folder && this.read());
  }

  private read(): void {
    this.failure = undefined;
    this.readAt = Date.now();
    this.toolbar.showButtons();
    void this.refreshFree();
    if (may("list")) {
      this.listing.open(this.folder);
      this.showStatus();
    } else this.show();
  }

  /** Shows other users' changes. */
  private keepCurrent(least: number): void {
    const now = Date.now();
    if (document.hidden || mustSignIn() || !may("list") || now - Math.max(this.readAt, this.polledAt) < least) return;
    const isLarge = this.listing.all > pageEntries;
    if (least < pollMs && (isLarge || this.failure) && now - this.readAt > staleMs) this.read();
    else if (this.listing.complete && !this.failure) {
      this.polledAt = now;
      this.listing.poll();
    }
  }

  /** The button that was pressed is gone then. */
  private readAgain(): void {
    this.read();
    returnFocus(null);
  }

  private show(): void {
    const { listing, arrangement } = this;
    const focused = document.activeElement;
    this.toolbar.show(arrangement);
    const isEmpty = listing.length === 0 && (listing.complete || this.failure !== undefined);
    this.empty.hidden = !isEmpty;
    this.grid.element.hidden = isEmpty;
    this.grid.refresh(arrangement);
    this.viewer?.refresh();
    this.showReopened();
    if (listing.complete) this.readme.show(this.folder, arrangement.filter || !mayLookAhead() || !may("read", this.folder || undefined) ? undefined : readmeOf((name) => listing.find(name)));
    if (isEmpty) this.empty.replaceChildren(this.placeholder());
    // The last row was deleted, say.
    if (focused !== document.body) returnFocus(null);
    this.showStatus();
    if (this.reveal !== undefined && listing.has(this.reveal)) {
      const name = this.reveal;
      this.reveal = undefined;
      if (!document.querySelector("dialog[open]")) this.grid.focusName(name);
      else requestAnimationFrame(() => this.grid.focusName(name));
    }
    performance.mark("millrace-drawn");
  }

  private showStatus(): void {
    const { listing, arrangement } = this;
    const files = listing.all - listing.folders;
    const free = current().freeBytes;
    const text = !may("list") || this.failure ? "" : !listing.complete ? texts.loading(listing.all)
      : arrangement.filter ? [texts.matches(listing.length - listing.below.found, listing.all), this.belowText()].filter(Boolean).join(". ")
      : [[texts.summary(listing.folders, files, size(listing.bytes)), free != null && may("write") ? texts.free(size(free)) : ""].filter(Boolean).join(", "), listing.omitted ? texts.omitted(listing.omitted) : ""].filter(Boolean).join(". ");
    if (arrangement.filter && listing.complete && listing.below.state !== "running" && text !== this.status.textContent) announce(text);
    // It was read in part: missing entries would otherwise look as if they did not exist.
    if (this.failure && listing.length > 0) this.status.replaceChildren(`${texts.incomplete} ${new ServerError(this.failure.status).message} `, h("button", { type: "button", class: "button small", click: () => this.readAgain() }, texts.tryAgain));
    else this.status.textContent = text;
    this.grid.grid.setAttribute("aria-busy", String(may("list") && !listing.complete && !this.failure));
  }

  private belowText(): string {
    const { state, found, searched, more, omitted } = this.listing.below;
    return state === "none" ? ""
      : [
        state === "running" ? texts.searching(found, searched) : more ? texts.belowFirst(found) : texts.below(found),
        state === "failed" ? texts.searchFailed : "",
        omitted ? texts.omitted(omitted) : "",
      ].filter(Boolean).join(". ");
  }

  /** The space that is left, after a while: others use it, too. */
  private async refreshFree(): Promise<void> {
    if (current().freeBytes == null || Date.now() - this.freeAt < staleMs) return;
    this.freeAt = Date.now();
    await refreshSession().catch(() => undefined);
    this.showStatus();
  }

  private placeholder(): HTMLElement {
    if (link()?.state === "invalid") return placeholder(icons.link, texts.linkInvalid, texts.linkInvalidHint);
    if (isDrop()) return this.dropPage.element;
    if (!may("list") && !this.canWrite) return placeholder(icons.key, isPublic() ? texts.publicNoList : texts.notAllowed, "", ...(isPublic() ? [{ label: texts.signIn, act: () => void this.signIn(texts.signInHint) }] : []));
    if (!may("list")) return placeholder(icons.drop, texts.dropbox, texts.dropboxHint);
    const status = this.failure?.status;
    const again = { label: texts.tryAgain, act: () => this.readAgain() };
    if (status === 404 && !(this.folder === prefix() && this.canWrite)) return placeholder(icons.folder, texts.gone, "", { label: texts.goTo(rootName()), act: () => this.go(prefix()) });
    if (status === 403) return placeholder(icons.key, texts.notAllowed, "");
    if (status !== undefined && status !== 404) return placeholder(icons.offline, texts.cannotLoad, new ServerError(status).message, again);
    if (this.arrangement.filter && this.listing.below.state === "running") return placeholder(icons.search, texts.searching(0, this.listing.below.searched), "");
    if (this.arrangement.filter) return placeholder(icons.search, texts.noMatch(this.arrangement.filter), "", { label: texts.clearFilter, act: () => this.toolbar.clearFilter() });
    if (this.listing.omitted) return placeholder(icons.folder, texts.omitted(this.listing.omitted), "");
    if (!this.canWrite) return placeholder(icons.folder, texts.empty, texts.emptyOther);
    return placeholder(icons.drop, texts.empty, texts.emptyDrop, { label: texts.chooseFiles, act: () => void chooseFiles().then(this.uploader()) });
  }

  private failed(status: number): void {
    if (status === 401) {
      void this.signIn(texts.ended);
      return;
    }
    if (this.folder && this.folder === prefix() && status === 404) void this.showPrefix();
    else {
      this.failure = { status };
      this.toolbar.showButtons();
      this.show();
      if (this.listing.length > 0) announce(this.status.textContent);
    }
  }

  /** The token's own folder is not there: the token is for one file, or nothing has been uploaded to it yet. */
  private async showPrefix(): Promise<void> {
    const { folder } = this;
    const file = await stat(folder).catch(() => undefined);
    if (file && !file.isFolder) location.replace(urlOf(folder));
    else if (folder === this.folder) {
      this.failure = { status: 404 };
      this.show();
    }
  }

  private showAs(view: View): void {
    this.view = view;
    remember(this.folder, view, this.arrangement);
    this.toolbar.showView(view);
    this.grid.show(view);
  }

  private arrange(arrangement: Arrangement): void {
    const { sort, descending } = this.arrangement;
    this.arrangement = arrangement;
    if (sort !== arrangement.sort || descending !== arrangement.descending) remember(this.folder, this.view, arrangement);
    this.toolbar.show(arrangement);
    this.listing.arrange(arrangement);
    if (sort !== arrangement.sort || descending !== arrangement.descending) announce(texts.sorted(texts.sortedBy[arrangement.sort], arrangement.descending));
    else this.grid.element.scrollTop = 0;
  }

  private sort(key: SortKey): void {
    const isSame = this.arrangement.sort === key;
    // Most people look for the largest or the newest first.
    this.arrange({ ...this.arrangement, sort: key, descending: isSame ? !this.arrangement.descending : key !== "name" });
  }

  private open(entry: Entry): void {
    if (entry.isFolder) this.go(join(this.folder, entry.name));
    else if (may("read", join(this.folder, entry.name))) {
      if (this.returning) {
        void this.returning.then(() => this.open(entry));
        return;
      }
      history.pushState({ preview: entry.name } satisfies PageState, "");
      this.look(entry);
    }
  }

  /** Shows a file over the folder. It has its own entry in the history, so that "Back" closes it. */
  private look(entry: Entry): void {
    const { folder } = this;
    const viewer: Viewer = new Viewer(folder, entry, {
      neighbour: (from, step) => this.neighbour(from, step),
      position: (of) => this.position(of),
      actions: (of) => this.actions.menu([of], folder).filter(({ icon }) => icon !== icons.preview),
      key: (event, of) => this.pressedOn(event, [of], of),
      shown: (of) => {
        document.title = `${shown(of.name)} – ${titleOf(folder)}`;
        history.replaceState({ preview: of.name } satisfies PageState, "");
      },
      closed: (of) => {
        if (this.viewer !== viewer) return;
        this.leaveViewer();
        if (folder !== this.folder) return;
        this.grid.focusName(of.name);
        if (pageState().preview !== undefined) this.stepBack();
      },
      follow: (url) => viewer.leave(() => this.follow(url)),
      canEdit: (of) => this.canWrite && may("write", join(folder, of.name)),
      saved: (of) => folder === this.folder && this.listing.change([of.name], [of]),
      signIn: () => void this.signIn(texts.ended),
    });
    this.viewer = viewer;
  }

  /** Forgets the viewer. Its actions on closing are done already, or not wanted. */
  private leaveViewer(): Viewer | undefined {
    const { viewer } = this;
    this.viewer = undefined;
    document.title = titleOf(this.folder);
    return viewer;
  }

  /** A link in a document: to a folder, or to a file that is shown over its folder. */
  private follow(url: URL): void {
    const folder = folderOf(url.pathname);
    const name = url.pathname.endsWith("/") ? undefined : fileOf(url.pathname);
    // The document stays in the history: "Back" leads to it.
    this.leaveViewer()?.close();
    if (name === undefined) this.go(folder);
    else {
      const entry = folder === this.folder ? this.listing.find(name) : undefined;
      if (entry) {
        this.open(entry);
        return;
      }
      this.go(folder);
      history.replaceState({ preview: name } satisfies PageState, "");
      this.reopen = name;
    }
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

  private changed(removed: string[], added: Entry[]): void {
    for (const name of removed) this.grid.selection.names.delete(name);
    this.viewer?.changed(removed, added);
    this.listing.change(removed, added);
    this.grid.showSelection();
  }

  /** Uploads into the folder that is shown now: reading the dropped folder may take longer than the user stays there. */
  private uploader(): (gathered: Gathered) => void {
    const { folder: here } = this;
    return (gathered) => {
      const folder = isDrop() ? this.dropPage.folder : here;
      if (folder === undefined) return;
      if (gathered.files.length + gathered.emptyFolders.length + gathered.unreadable.length === 0) return;
      this.queue.add(gathered, folder);
      this.panel.update();
    };
  }

  private uploaded(task: Task): void {
    this.appeared(task.name, false, task.size, task.file?.lastModified);
  }

  /** A new file or folder: in this folder it is shown itself, below it the folder that it is in. */
  private appeared(name: string, isFolder: boolean, bytes: number, modified = Date.now()): void {
    if (!may("list")) return;
    const inside = this.folder ? `${this.folder}/` : "";
    if (!name.startsWith(inside)) return;
    const rest = name.slice(inside.length);
    const [first = ""] = rest.split("/");
    if (first === rest) this.arrived.set(rest, { name: rest, isFolder, size: bytes, modified });
    else if (first && !this.listing.has(first)) this.arrived.set(first, { name: first, isFolder: true, size: 0, modified: Date.now() });
    // Together: a folder of small files has a hundred of them in a second.
    this.arrivals ||= window.setTimeout(() => {
      this.arrivals = 0;
      const added = [...this.arrived.values()];
      this.arrived.clear();
      this.changed([], added);
    }, arrivalMs);
  }

  /** Once for all that ask for it meanwhile. */
  private signIn(reason: string): Promise<void> {
    this.signingIn ??= this.askForToken(reason).finally(() => (this.signingIn = undefined));
    return this.signingIn;
  }

  private async askForToken(reason: string): Promise<void> {
    const before = current();
    if (before.link) {
      await askForPassword();
      if (!location.pathname.endsWith("/")) location.replace(urlOf(join(folderOf(location.pathname), fileOf(location.pathname))));
      await refreshSession();
      this.head.showAccount();
      this.begin();
      this.queue.signedIn();
      return;
    }
    // Where a session has ended, some may be allowed without one.
    if (before.signedIn && before.public) await refreshSession().catch(() => undefined);
    if (mustSignIn()) {
      this.listing.clear();
      this.failure = undefined;
      this.show();
      this.empty.replaceChildren();
    }
    if (!(await askForToken(reason, isPublic()))) {
      this.head.showAccount();
      this.toolbar.showButtons();
      return;
    }
    // A file's own address shows the file, now that it may.
    if (!location.pathname.endsWith("/")) location.reload();
    await refreshSession();
    const now = current();
    if (before.signedIn && (now.name !== before.name || now.prefix !== before.prefix)) {
      this.queue.abandon();
      this.forget();
    }
    this.head.showAccount();
    this.begin();
    this.queue.signedIn();
  }

  private async signOut(): Promise<void> {
    try {
      await signOut();
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      notify(error.message, true);
      return;
    }
    this.queue.abandon();
    this.forget();
    await refreshSession();
    this.head.showAccount();
    if (mustSignIn()) await this.signIn(texts.signedOut);
    else {
      notify(texts.signedOut);
      this.begin();
    }
  }

  /** The next person may not see these names and pictures. */
  private forget(): void {
    forgetFolders();
    this.grid.forgetPictures();
  }

  private clearSelection(): void {
    this.grid.selection.clear();
    this.grid.showSelection();
  }

  /** Keys of the whole page. */
  private pressed(event: KeyboardEvent): void {
    const target = event.target as Element;
    if (event.defaultPrevented || document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("input:not([type=checkbox]), select, textarea, [role=menu]")) return;
    if (event.key === "/") this.toolbar.focusFilter();
    else if (event.key === "?") openHelp();
    else if (event.key === "Escape" && this.grid.selection.size) this.clearSelection();
    else if (event.key === "Escape" && this.arrangement.filter) this.toolbar.clearFilter();
    else if (event.key === "Backspace" && this.folder && this.folder !== prefix()) this.go(parentOf(this.folder));
    else if (event.key.toLowerCase() === "u" && this.canWrite) void chooseFiles().then(this.uploader());
    else if (event.key.toLowerCase() === "n" && this.canWrite && may("list")) this.actions.newFolder();
    else if (event.key === "ArrowDown" && target.matches("body, main")) this.grid.focus();
    else return;
    event.preventDefault();
  }

  private pressedInGrid(event: KeyboardEvent): void {
    const { chosen } = this.grid;
    const [first] = chosen;
    if (first) this.pressedOn(event, chosen, this.grid.focusedEntry ?? first);
  }

  /** Keys that delete, move or copy some entries, or rename one. */
  private pressedOn(event: KeyboardEvent, chosen: Entry[], renamed: Entry): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Delete" && this.actions.canRemove(chosen)) this.actions.remove(chosen);
    else if (event.key === "m" && this.actions.canMove(chosen)) this.actions.move(chosen);
    else if (event.key === "c" && this.actions.canCopy(chosen)) this.actions.copy(chosen);
    else if (event.key === "F2" && this.actions.canMove([renamed])) this.actions.rename(renamed);
    else return;
    event.preventDefault();
  }
}

const titleOf = (folder: string): string => (folder && !(link() && folder === prefix()) ? `${shown(baseName(folder))} – ${rootName()}` : rootName());

/** The name of the file of an address. */
function fileOf(path: string): string {
  try {
    return shown(decodeURIComponent(baseName(path)));
  } catch {
    return baseName(path);
  }
}

/** The folder of an address: the part below the files' path, without a file's name. */
function folderOf(path: string): string {
  const name = path.startsWith(paths.files) ? path.slice(paths.files.length) : "";
  const folder = name.slice(0, name.lastIndexOf("/") + 1).replace(/\/+$/, "");
  try {
    return folder.split("/").map(decodeURIComponent).join("/");
  } catch {
    return "";
  }
}

/** Signs in with the PIN of a QR code, which must not stay in the history. */
async function redeemPin(): Promise<boolean> {
  const pin = /^#pin=(\d{6})$/.exec(location.hash)?.[1];
  if (!pin) return false;
  history.replaceState(history.state, "", location.pathname + location.search);
  return signIn(pin).then(() => true, () => false);
}
