import { h } from "../../dom.ts";
import { current, isDrop, isPublic, link, may, mustSignIn, prefix, rootName } from "../access.ts";
import { urlOf } from "../api.ts";
import { dateAndTime } from "../format.ts";
import { texts } from "../texts.ts";
import { iconButton, isolated } from "./dialog.ts";
import { icon, icons } from "./icons.ts";

export interface HeadEvents {
  go(folder: string): void;
  help(): void;
  signIn(): void;
  signOut(): void;
}

/** Where one is, who one is, and help. */
export class Head {
  private readonly crumbs = h("ol", { class: "crumbs" });
  private readonly account = h("div", { class: "account" });
  readonly element = h("header", { class: "top" },
    h("nav", { "aria-label": texts.path }, this.crumbs), this.account);

  constructor(private readonly events: HeadEvents) {}

  show(folder: string): void {
    // By a link there is nothing above its folder.
    const above = link() ? prefix() : "";
    const below = above && (folder === above || folder.startsWith(`${above}/`)) ? folder.slice(above.length + 1) : folder;
    const parts = below ? below.split("/") : [];
    const whole = (at: number): string => [above, ...parts.slice(0, at + 1)].filter(Boolean).join("/");
    const item = (name: string, label: string, isLast: boolean, isRoot: boolean): HTMLElement => {
      const content = [isRoot && icon(icons.home, 18), isolated(label)];
      return h("li", {}, isLast
        ? h("h1", { "aria-current": "page" }, ...content)
        : h("a", { href: urlOf(name, true), draggable: "false", "data-folder": name, click: (event: MouseEvent) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          this.events.go(name);
        } }, ...content));
    };
    this.crumbs.replaceChildren(
      item(above, rootName(), parts.length === 0, true),
      ...parts.map((part, at) => item(whole(at), part, at === parts.length - 1, false)));
    // On a narrow screen the end of a long path is the part to see.
    this.crumbs.scrollLeft = this.crumbs.scrollWidth * (getComputedStyle(this.crumbs).direction === "rtl" ? -1 : 1);
  }

  showAccount(): void {
    const { required, name, expires } = current();
    const isIn = required && !mustSignIn() && !isPublic() && !link();
    const end = isDrop() ? undefined : link()?.expires; // the drop page shows it itself
    const until = expires ? texts.expires(dateAndTime(Date.parse(expires))) : "";
    this.account.replaceChildren(
      ...(isIn && name ? [h("span", { class: "who small", title: `${texts.signedInAs(name)} ${until}` }, icon(icons.key, 16), isolated(name))] : []),
      ...(isPublic() ? [h("span", { class: "who state small", title: texts.signInHint }, isolated(may("read") ? texts.publicRead : texts.publicList))] : []),
      ...(end ? [h("span", { class: "who state small" }, isolated(texts.linkUntil(dateAndTime(Date.parse(end)))))] : []),
      iconButton(icons.help, texts.help, () => this.events.help()),
      ...(isIn ? [iconButton(icons.signOut, texts.signOut, () => this.events.signOut())] : []),
      ...(isPublic() ? [h("button", { type: "button", class: "button", click: () => this.events.signIn() }, icon(icons.key, 16), texts.signIn)] : []));
    document.body.classList.toggle("can-write", may("write"));
    document.body.classList.toggle("no-tools", isDrop() || link()?.state === "invalid");
  }
}
