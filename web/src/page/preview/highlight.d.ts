// The package has its modules for browsers, and no types.
declare module "@highlightjs/cdn-assets/es/core.min.js" {
  type Language = (library: unknown) => unknown;
  const library: {
    registerLanguage(name: string, language: Language): void;
    getLanguage(name: string): unknown;
    highlight(text: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
  };
  export default library;
}

declare module "@highlightjs/cdn-assets/es/languages/*" {
  const language: (library: unknown) => unknown;
  export default language;
}
