using System.CommandLine;

namespace Millrace.Cli;

internal static class CommandExtensions
{
    /// <summary>Adds options in the order of the help; null stands for one that the command does not have.</summary>
    public static void Add(this Command command, params ReadOnlySpan<Option?> options)
    {
        foreach (Option? option in options)
        {
            if (option is not null)
            {
                command.Options.Add(option);
            }
        }
    }
}
