namespace Millrace.Transfer.Server;

/// <summary>The style of <see cref="FolderPage"/>.</summary>
internal static class FolderPageStyle
{
    public const string Css = """

        :root { --text: #1c2128; --quiet: #59636e; --line: #d8dee4; --ground: #ffffff; --row: #f4f6f8; --link: #0a58b5; }
        @media (prefers-color-scheme: dark) {
          :root { --text: #e4e8ec; --quiet: #9aa5b1; --line: #343b44; --ground: #14181d; --row: #1d232a; --link: #7db4ff; }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
        main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: .25rem 0 1rem; overflow-wrap: anywhere; }
        a { color: var(--link); text-decoration: none; }
        a:hover { text-decoration: underline; }
        a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
        nav ol { list-style: none; display: flex; flex-wrap: wrap; margin: 0; padding: 0; color: var(--quiet); }
        nav li { overflow-wrap: anywhere; }
        nav li + li::before { content: "/"; padding: 0 .4rem; color: var(--quiet); }
        table { width: 100%; border-collapse: collapse; }
        th { text-align: left; font-weight: 600; font-size: .875rem; color: var(--quiet); }
        th, td { padding: .4rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
        tbody tr:hover { background: var(--row); }
        td:first-child { overflow-wrap: anywhere; }
        td a { display: inline-block; }
        .folder { font-weight: 600; }
        .size, .date { white-space: nowrap; font-variant-numeric: tabular-nums; }
        .size { text-align: right; }
        td.size, td.date { color: var(--quiet); }
        .links { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; margin-top: 1.25rem; }
        .links form { display: flex; gap: 1.25rem; }
        .links button { border: 0; padding: 0; background: none; color: var(--link); font: inherit; cursor: pointer; }
        .links button:hover { text-decoration: underline; }
        .empty, .omitted { color: var(--quiet); }
        @media (max-width: 36rem) {
          thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          tbody tr { display: flex; flex-wrap: wrap; column-gap: 1rem; padding: .5rem .25rem; border-bottom: 1px solid var(--line); }
          td { border: 0; padding: 0; font-size: .875rem; }
          td:first-child { flex: 1 0 100%; font-size: 1rem; }
          td.size:empty { display: none; }
          td a { padding: .125rem 0; }
        }

        """;
}
