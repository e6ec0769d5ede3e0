using System.CommandLine;

namespace Millrace.Cli;

/// <summary>The option about symbolic links.</summary>
internal static class LinksOption
{
    public static Option<bool> Create() => new("--links")
    {
        Description = "Keep symbolic links as links, if they stay in the folder, instead of moving their targets.",
    };
}
