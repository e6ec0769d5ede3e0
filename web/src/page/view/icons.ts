import {
  AppWindow, ArrowDown, ArrowUp, Check, ChevronDown, ChevronLeft, ChevronRight, ChevronUp, CircleAlert, CircleCheck, CircleQuestionMark, CloudUpload, Copy, CopyPlus,
  createElement, Download, EllipsisVertical, Eye, File, FileArchive, FileCode, FileImage, FileMusic, FileSpreadsheet, FileText, FileType, FileVideo, Folder,
  FolderInput, FolderOpen, FolderPlus, FolderUp, House, type IconNode, KeyRound, LayoutGrid, Link, List, LogOut, Pause, Pencil, Play, Presentation, Ruler, RefreshCw, RotateCcw, Search, Share2, Trash, Trash2,
  Upload, WifiOff, X,
} from "lucide";
import type { Entry } from "../entries.ts";
import { kindOf } from "../preview/kinds.ts";

export const icons = {
  add: FolderPlus, alert: CircleAlert, check: Check, copy: Copy, copyTo: CopyPlus, down: ArrowDown, download: Download, done: CircleCheck, drop: CloudUpload, expand: ChevronUp,
  collapse: ChevronDown, file: File, folder: Folder, folderUp: FolderUp, help: CircleQuestionMark, home: House, key: KeyRound, left: ChevronLeft, link: Link, list: List,
  more: EllipsisVertical, move: FolderInput, offline: WifiOff, open: FolderOpen, pause: Pause, play: Play, preview: Eye, refresh: RefreshCw, remove: Trash2,
  rename: Pencil, restore: RotateCcw, retry: RotateCcw, right: ChevronRight, search: Search, share: Share2, size: Ruler, signOut: LogOut, tiles: LayoutGrid, trash: Trash, up: ArrowUp, upload: Upload, close: X,
} satisfies Record<string, IconNode>;

/** Pictures that were made once: a copy costs a quarter of making one. */
const made = new Map<IconNode, SVGElement>();

/** A picture that repeats the text beside it, or the button's label. */
export function icon(node: IconNode, size = 20): SVGElement {
  let first = made.get(node);
  if (!first) made.set(node, (first = createElement(node, { "stroke-width": 1.75, "aria-hidden": "true", focusable: "false" })));
  const copy = first.cloneNode(true) as SVGElement;
  copy.setAttribute("width", String(size));
  copy.setAttribute("height", String(size));
  return copy;
}

const byKind: Record<string, IconNode> = {
  image: FileImage, audio: FileMusic, video: FileVideo, table: FileSpreadsheet, text: FileText, code: FileCode, pdf: FileText, archive: FileArchive,
  markdown: FileText, document: FileType, sheet: FileSpreadsheet, slides: Presentation, program: AppWindow,
};

export function entryIcon(entry: Entry): SVGElement {
  const kind = entry.isFolder ? "folder" : kindOf(entry.name);
  const element = icon(entry.isFolder ? Folder : (byKind[kind] ?? File), 22);
  element.classList.add("kind", `kind-${kind}`);
  return element;
}
