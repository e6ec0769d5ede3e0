import { baseName, extension } from "../names.ts";

export type Kind = "image" | "audio" | "video" | "table" | "text" | "markdown" | "code" | "pdf" | "archive" | "document" | "sheet" | "slides" | "program" | "other";

const extensions: Record<Exclude<Kind, "other">, string> = {
  image: "apng avif bmp gif heic heif ico jfif jpeg jpg png svg webp",
  audio: "aac flac m4a mp3 oga ogg opus wav weba",
  video: "m4v mkv mov mp4 ogv webm",
  table: "csv tsv",
  text: "log nfo srt text txt vtt",
  markdown: "markdown md",
  code: "bash c cfg conf cpp cs css diff env fs go h htm html ini java js json jsonl kt lua mjs patch php properties ps1 py r rb rs sh sql swift toml ts tsx vb xml yaml yml",
  pdf: "pdf",
  document: "doc docx odt pages rtf",
  sheet: "numbers ods xls xlsb xlsm xlsx",
  slides: "key odp ppt pptx",
  program: "apk app appimage bat cmd com deb dmg exe jar msi pkg rpm",
  archive: "7z bz2 gz iso rar tar tgz xz zip zst",
};

const kinds = new Map(Object.entries(extensions).flatMap(([kind, list]) => list.split(" ").map((end) => [end, kind as Kind] as const)));

/** Files that have no extension, by their whole name in lower case. */
const names: Partial<Record<Kind, string>> = {
  text: "authors changelog changes contributing contributors copying install licence license maintainers news notice readme todo version",
  code: `brewfile caddyfile cmakelists containerfile dockerfile gemfile gnumakefile jenkinsfile justfile makefile procfile rakefile vagrantfile
    .babelrc .bash_profile .bashrc .clang-format .dockerignore .editorconfig .env .eslintrc .gitattributes .gitconfig .gitignore .gitmodules .htaccess
    .mailmap .npmignore .npmrc .nvmrc .prettierignore .prettierrc .profile .vimrc .zshrc`,
};
const wholeNames = new Map(Object.entries(names).flatMap(([kind, list]) => list.split(/\s+/).map((name) => [name, kind as Kind] as const)));

/** The kind of a file, by the end of its name, or by the whole name. */
/** Whether a file of the kind is text to be read and edited. */
export const isText = (kind: Kind): boolean => ["table", "text", "markdown", "code"].includes(kind);

export const kindOf = (name: string): Kind => kinds.get(extension(name)) ?? wholeNames.get(baseName(name).toLowerCase()) ?? "other";
