import { h } from "../dom.ts";
import { current, hasTrash, isDrop, isPublic, link, may, mayLookAhead, mustSignIn, prefix, refreshSession, rootName, takesPin } from "./access.ts";
import { Account, redeemPin } from "./account.ts";
import { addressOf, ServerError, stat, urlOf } from "./api.ts";
import type { Arrangement, Entry, SortKey } from "./entries.ts";
import { size } from "./format.ts";
import { Arrivals } from "./list/arrivals.ts";
import { dragRows } from "./list/drag.ts";
import { Grid } from "./list/grid.ts";
import { forgetFolders, remember, settingsOf, type View } from "./list/folderSettings.ts";
import { Listing } from "./list/listing.ts";
import { Readme, readmeOf } from "./list/readme.ts";
import { servedEntries } from "./list/served.ts";
import { inAddress } from "./link.ts";
import { baseName, join, parentOf } from "./names.ts";
import { fileOf, folderOf, pageState, titleOf } from "./places.ts";
import { OpenFile } from "./preview/openFile.ts";
import { texts } from "./texts.ts";
import { loadTus } from "./upload/loadTus.ts";
import { askAboutClash } from "./upload/clashDialog.ts";
import type { Gathered } from "./upload/gather.ts";
import { acceptFiles, chooseFiles, chooseFolder } from "./upload/intake.ts";
import { UploadPanel } from "./upload/panel.ts";
import { Queue } from "./upload/queue.ts";
import { Actions } from "./view/actions.ts";
import { returnFocus } from "./view/focus.ts";
import { DropPage } from "./view/drop.ts";
import { Head } from "./view/head.ts";
import { openHelp } from "./view/helpDialog.ts";
import { icons } from "./view/icons.ts";
import { openMenu } from "./view/menu.ts";
import { announce, noticeRegions, notify } from "./view/notices.ts";
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
    signIn: () => void this.account.signIn(texts.ended),
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
  private readonly head = new Head({ go: (folder) => this.go(folder), help: openHelp, signIn: () => void this.account.signIn(texts.signInHint), signOut: () => void this.account.signOut() });
  private readonly queue = new Queue({
    changed: () => this.panel.update(),
    uploaded: (task) => may("list") && this.arrivals.add(task.name, false, task.size, task.file?.lastModified),
    folderMade: (folder) => may("list") && this.arrivals.add(folder, true, 0),
    // A visitor who may not see the files is not asked about them.
    clash: (task, others) => (isDrop() ? Promise.resolve({ choice: "keepBoth", forAll: true }) : askAboutClash(task, others)),
    signIn: () => void this.account.signIn(texts.ended),
  });
  private readonly panel: UploadPanel = new UploadPanel(this.queue);
  private readonly dropPage = new DropPage(() => void chooseFiles().then(this.uploader()), () => void chooseFolder().then(this.uploader()));
  private readonly arrivals = new Arrivals(this.listing, (entries) => this.changed([], entries));
  private readonly file = new OpenFile(this.listing, {
    enter: (folder) => this.enter(folder),
    go: (folder) => this.go(folder),
    open: (entry) => this.open(entry),
    focus: (name) => this.grid.focusName(name),
    menu: (of, folder) => this.actions.menu([of], folder).filter(({ icon }) => icon !== icons.preview),
    key: (event, of) => this.pressedOn(event, [of], of),
    canWrite: () => this.canWrite,
    signIn: (reason) => void this.account.signIn(reason),
  });
  private readonly account = new Account({
    entered: () => {
      this.head.showAccount();
      this.begin();
      this.queue.signedIn();
    },
    left: () => {
      this.listing.clear();
      this.failure = undefined;
      this.show();
      this.empty.replaceChildren();
    },
    changed: () => {
      this.head.showAccount();
      this.toolbar.showButtons();
    },
    forget: () => {
      this.queue.abandon();
      forgetFolders();
      this.grid.forgetPictures();
    },
  });
  private readonly readme = new Readme((url) => this.file.follow(url));
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
    addEventListener("popstate", () => this.file.stepped());
    addEventListener("keydown", (event) => this.pressed(event));
    addEventListener("beforeunload", (event) => this.file.isDirty && event.preventDefault());
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
    if (mustSignIn() || link()?.state === "locked") await this.account.signIn(takesPin() ? texts.pinHint : texts.signInHint);
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
    this.file.whenReturned(() => {
      history.pushState(null, "", addressOf(folder, true));
      this.enter(folder);
    });
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
    this.arrivals.clear();
    document.title = titleOf(folder);
    this.head.show(folder);
    this.grid.reset(this.reveal);
    this.listing.clear();
    this.readme.show(folder, undefined);
    this.grid.show(view);
    this.file.recall();
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
    this.file.refresh();
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
    const text = mustSignIn() || !may("list") || this.failure ? "" : !listing.complete ? texts.loading(listing.all)
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
    if (!may("list") && !this.canWrite) return placeholder(icons.key, isPublic() ? texts.publicNoList : texts.notAllowed, "", ...(isPublic() ? [{ label: texts.signIn, act: () => void this.account.signIn(texts.signInHint) }] : []));
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
      void this.account.signIn(texts.ended);
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
    else if (may("read", join(this.folder, entry.name))) this.file.open(entry);
  }

  private changed(removed: string[], added: Entry[]): void {
    for (const name of removed) this.grid.selection.names.delete(name);
    this.file.changed(removed, added);
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
