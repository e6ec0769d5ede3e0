using System.CommandLine;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` about WebDAV.</summary>
internal sealed class DavOptionSet
{
    private const string Accept = "accept";
    private const string Refuse = "refuse";

    private readonly Option<bool> _off = new("--no-dav")
    {
        Description = "Do not serve WebDAV, by which systems mount the files.",
    };

    private readonly Option<string> _junk = new("--dav-junk")
    {
        Description = "Accept or refuse the files that systems make for themselves: ._NAME, .DS_Store, Thumbs.db, desktop.ini.",
        HelpName = $"{Accept}|{Refuse}",
        DefaultValueFactory = static _ => Accept,
    };

    public DavOptionSet() => _junk.AcceptOnlyFromAmong(Accept, Refuse);

    public void AddTo(Command command) => command.Add(_off, _junk);

    public void Read(ParseResult parsed, TransferServerOptions options)
    {
        options.WebDav = !parsed.GetValue(_off);
        options.RefuseSystemFiles = parsed.GetValue(_junk) == Refuse;
    }
}
