using System.CommandLine;

namespace Millrace.Cli;

/// <summary>The option of the commands that read or write files as a whole.</summary>
internal sealed class NoCacheOption : Option<bool>
{
    public NoCacheOption()
        : base("--no-cache") =>
        Description = "Leave the page cache as it is, for files that are large beside the memory (Linux).";
}
