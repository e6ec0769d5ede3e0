import { format, type Grammar } from "./message.ts";

interface Tree { [key: string]: unknown }

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

/** Puts a language's texts in the place of the English ones. Texts that it lacks, or has in another shape, stay English. */
export function translate(texts: Tree, translation: Tree): void {
  const [group, decimal] = [String(translation.group ?? ","), String(translation.decimal ?? ".")];
  let rules: Intl.PluralRules | undefined;
  const language = String(translation.language);
  const grammar: Grammar = {
    number: (n) => {
      const [whole = "", part] = String(n).split(".");
      return whole.replace(/\B(?=(\d{3})+(?!\d))/g, group) + (part ? decimal + part : "");
    },
    isolated: (text) => (translation.direction === "rtl" ? `\u2068${text}\u2069` : text),
    plural: (n) => (rules ??= new Intl.PluralRules(language)).select(n),
  };
  replace(texts, translation, grammar);
  texts.number = (n: number, digits = 0): string => {
    const [whole = "", part] = n.toFixed(digits).split(".");
    return grammar.number(Number(whole)) + (part ? decimal + part : "");
  };
  texts.language = language;
  texts.direction = translation.direction === "rtl" ? "rtl" : "ltr";
}

function replace(texts: Tree, translation: Tree, grammar: Grammar): void {
  for (const [key, english] of Object.entries(texts)) {
    const other = translation[key];
    if (typeof english === "function" && typeof other === "string") texts[key] = (...args: unknown[]) => format(other, args, grammar);
    else if (typeof english === "string" && typeof other === "string") texts[key] = other;
    else if (isTree(english) && isTree(other)) replace(english, other, grammar);
    // Of pairs, the second part is the text.
    else if (Array.isArray(english) && Array.isArray(other)) texts[key] = english.map((one: unknown, at) => typeof other[at] !== "string" ? one : Array.isArray(one) ? [one[0], other[at]] : other[at]);
  }
}
