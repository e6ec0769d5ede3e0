import { h } from "../../dom.ts";
import { type FolderLink, type FolderLinkWish, readFolderLinks, revokeLink, ServerError } from "../api.ts";
import { rootName } from "../access.ts";
import { dateAndTime, size } from "../format.ts";
import { texts } from "../texts.ts";
import { field, iconButton, isolated, openDialog, openForm } from "./dialog.ts";
import { icon, icons } from "./icons.ts";
import { notify } from "./notices.ts";

const MiB = 1024 * 1024;

/** Asks for the rights and limits of a link to a folder. */
export function openFolderLinkForm(heading: string, canRead: boolean, canDrop: boolean, make: (wish: Omit<FolderLinkWish, "name">) => Promise<string | undefined>): void {
  const kind = (value: "read" | "drop", label: string, isChosen: boolean): { element: HTMLElement; input: HTMLInputElement } => {
    const input = h("input", { type: "radio", name: "kind", value, checked: isChosen, change: () => choose() });
    return { element: h("label", { class: "check" }, input, label), input };
  };
  const read = kind("read", texts.linkRead, canRead);
  const drop = kind("drop", texts.linkDrop, !canRead);
  const times = h("select", { "aria-label": texts.shareFor }, ...texts.linkTimes.map(([seconds, label]) => h("option", { value: seconds, selected: seconds === 604_800 }, label)));
  const password = field(texts.linkPassword, { type: "text", maxlength: 256, dir: "ltr", autocapitalize: "off" });
  const uses = field("", { type: "number", min: 1, step: 1, inputmode: "numeric" });
  const bytes = field(texts.linkMaxBytes, { type: "number", min: 1, step: 1, inputmode: "numeric" });
  const asksName = h("input", { type: "checkbox" });
  const asks = h("label", { class: "check" }, asksName, texts.linkAsksName);
  const choose = (): void => {
    asks.hidden = !drop.input.checked;
    uses.element.querySelector("label")!.textContent = drop.input.checked ? texts.linkMaxFiles : texts.linkMaxDownloads;
  };
  openForm({
    heading, submit: texts.shareDo, className: "share-folder",
    fields: [
      h("fieldset", { class: "kinds" }, h("legend", {}, texts.linkKind), canRead && read.element, canDrop && drop.element, asks),
      h("label", { class: "field" }, texts.shareFor, times), password.element, h("div", { class: "pair" }, uses.element, bytes.element),
    ],
    act: () => {
      const isDrop = drop.input.checked;
      const number = (input: HTMLInputElement): number | undefined => (input.value ? Math.max(1, Math.floor(Number(input.value))) : undefined);
      const most = number(bytes.input);
      return make({
        kind: isDrop ? "drop" : "read", seconds: Number(times.value), password: password.input.value || undefined, maxUses: number(uses.input),
        maxBytes: most === undefined ? undefined : most * MiB, asksName: isDrop && asksName.checked ? true : undefined,
      });
    },
  });
  choose();
}

/** The links to folders, each with a button to revoke it. */
export function openLinksDialog(signIn: () => void): void {
  const list = h("ul", { class: "links", "aria-busy": "true" }, h("li", { class: "quiet" }, texts.loading(0)));
  const dialog = openDialog({ className: "form links-dialog", heading: texts.linksTitle, body: h("div", {}, list) });
  void (async () => {
    try {
      const links = await readFolderLinks();
      list.replaceChildren(...links.map((link) => item(link)));
      if (links.length === 0) none();
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      dialog.close();
      if (error.status === 401) signIn();
      else notify(error.message, true);
    } finally {
      list.removeAttribute("aria-busy");
    }
  })();

  function none(): void {
    list.replaceChildren(h("li", { class: "quiet" }, texts.linksNone));
  }

  function item(link: FolderLink): HTMLElement {
    const folder = link.folder || rootName();
    const isOver = Date.parse(link.expires) <= Date.now();
    const until = dateAndTime(Date.parse(link.expires));
    const facts = [
      link.kind === "drop" ? texts.linkIsDrop : texts.linkIsRead,
      isOver ? texts.linkExpired(until) : texts.shareUntil(until),
      texts.linkUses(link.uses, link.maxUses ?? 0),
      link.maxBytes ? texts.of(size(link.bytes), size(link.maxBytes)) : size(link.bytes),
      ...(link.password ? [texts.linkHasPassword] : []),
      ...(link.owner ? [texts.linkBy(link.owner)] : []),
    ];
    const row = h("li", { class: isOver ? "is-over" : "" },
      icon(link.kind === "drop" ? icons.drop : icons.folder, 20),
      h("div", {}, h("strong", {}, isolated(folder)), h("p", { class: "quiet small" }, facts.join("\u00a0· "))),
      iconButton(icons.remove, texts.linkRevoke(folder), () => void revoke(), "danger"));
    return row;

    async function revoke(): Promise<void> {
      try {
        await revokeLink(link.id);
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        if (error.status !== 404) {
          notify(error.message, true);
          return;
        }
      }
      row.remove();
      notify(texts.linkRevoked);
      if (list.children.length === 0) none();
      (list.querySelector("button") ?? dialog.querySelector("button"))?.focus();
    }
  }
}
