import { texts } from "../texts.ts";

/** The languages that the server has texts for, beside English, which is a part of the page. */
const available = (document.documentElement.dataset.languages ?? "").split(" ").filter(Boolean);

/** The first of the person's languages, those of Accept-Language, that there are texts for: the very one, or the one without its region. */
export function chosenLanguage(wanted: readonly string[] = navigator.languages): string | undefined {
  for (const language of wanted.map((one) => one.toLowerCase())) {
    const found = available.find((one) => one.toLowerCase() === language) ?? available.find((one) => one.toLowerCase() === language.split("-")[0]);
    if (found) return found;
    if (language.split("-")[0] === "en") return undefined;
  }
  return undefined;
}

/** Loads the texts of the person's language. If that fails, the page is English. */
export async function speak(): Promise<void> {
  const language = chosenLanguage();
  if (language !== undefined) {
    try {
      const [response, { translate }] = await Promise.all([fetch(new URL(/* @vite-ignore */ `texts.${language}.json`, import.meta.url)), import("./translate.ts")]);
      if (response.ok) translate(texts, { ...((await response.json()) as object), language });
    } catch {
      // It stays English.
    }
  }
  document.documentElement.lang = texts.language;
  document.documentElement.dir = texts.direction;
}
