import { current } from "./access.ts";
import { bytesOf, maxBytes, maxPartBytes } from "./names.ts";
import { texts } from "./texts.ts";

const device = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³]) *(\.|$)/i;
const reserved = /^(\.millrace[. ]*(:|$)|\.millrace-|millra~\d)/i;

/** Returns the problem of a name, including the folders above it, as a sentence. The server's rules are in NameRules.cs. */
export function nameProblem(name: string): string | undefined {
  const says = texts.names;
  if (/\p{Cs}/u.test(name)) return says.notUnicode;
  if (bytesOf(name) > maxBytes) return says.tooLong;
  for (const part of name.split("/")) {
    if (part === "") return texts.nameEmpty;
    if (bytesOf(part) > maxPartBytes) return says.tooLong;
    for (const piece of part.split("\\")) {
      if (piece === "." || piece === "..") return says.dots;
      if (reserved.test(piece)) return says.reserved;
    }
  }
  return current().portableNames ? portableProblem(name) : undefined;
}

/** The problem of a name that Windows cannot have. */
function portableProblem(name: string): string | undefined {
  const says = texts.names;
  const [forbidden] = /[\\:*?"<>|]/.exec(name) ?? [];
  if (/\p{Cc}/u.test(name)) return says.control;
  if (forbidden) return says.character(forbidden);
  for (const part of name.split("/")) {
    if (/[. ]$/.test(part)) return says.end;
    if (device.test(part)) return says.device(part);
  }
  return undefined;
}
