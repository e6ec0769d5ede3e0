using System.CommandLine;
using System.CommandLine.Help;

namespace Millrace.Cli.Copy;

/// <summary>`millrace copy`.</summary>
internal static class CopyCommand
{
    private const string None = "none";
    private const string Commit = "commit";
    private const string Mode = "mode";
    private const string Times = "times";

    /// <summary>As many as a command line takes; the parser has no word for more.</summary>
    private const int MaxPaths = 100_000;

    private const string Details = """
        A copy has its name when it is complete and not before; what had the name is whole until then. Files that share
        their blocks (reflink) are made where the file system can, else the kernel copies. Holes stay holes.

        Examples:
          millrace copy disk.img backup.img
          millrace copy --verify -p *.log /mnt/archive
          millrace copy -r photos /mnt/archive --durability none

        Exit codes:
          0    everything was copied
          1    could not start: wrong arguments, or a source that is not there; nothing was copied
          3    at least one file was not copied; the others were, and the error output says which and why
          130  stopped by Ctrl-C; nothing is left of the file that was being copied, the ones before it are complete
        """;

    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var paths = new Argument<string[]>("SOURCE... DESTINATION")
        {
            Description = "One file or more, and the name of the copy or a folder to copy into.",
            Arity = new ArgumentArity(2, MaxPaths),
        };
        var recursive = new Option<bool>("--recursive", "-r")
        {
            Description = "Copy folders with everything in them; links in them stay links.",
        };
        var verify = new Option<bool>("--verify")
        {
            Description = "Read both files again, the copy from its device, and compare their SHA-256 before the copy gets its name.",
        };
        var preserve = new Option<string[]>("--preserve")
        {
            Description = "Give the copies the permissions (mode), the times of last write and access (times), or both.",
            HelpName = $"{Mode},{Times}",
        };
        preserve.Validators.Add(result =>
        {
            foreach (string name in Split(result.GetValueOrDefault<string[]>()))
            {
                if (name is not (Mode or Times))
                {
                    result.AddError($"--preserve knows {Mode} and {Times}, not '{name}'.");
                }
            }
        });
        var both = new Option<bool>("-p") { Description = $"The same as --preserve {Mode},{Times}." };
        var noReplace = new Option<bool>("--no-replace")
        {
            Description = "Fail where the name of a copy is taken, whoever takes it meanwhile.",
        };
        var durability = new Option<string>("--durability")
        {
            Description = "When a copy counts as done: once it is on the device (commit), or in the system's memory (none).",
            HelpName = $"{None}|{Commit}",
            DefaultValueFactory = _ => Commit,
        };
        durability.AcceptOnlyFromAmong(None, Commit);
        var noReflink = new Option<bool>("--no-reflink")
        {
            Description = "Make blocks of its own for the copy, where it could share those of the source.",
        };
        var quiet = new Option<bool>("--quiet", "-q") { Description = "Say nothing but errors." };
        var json = new Option<bool>("--json") { Description = "Say what was done in JSON." };
        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, Details);
        var command = new Command("copy", "Copy files: whole or not at all, by the fastest way that the system has.")
        {
            help, paths, recursive, verify, preserve, both, noReplace, durability, noReflink, quiet, json,
        };
        command.SetAction(parsed =>
        {
            string[] given = parsed.GetValue(paths)!;
            string[] kept = [.. Split(parsed.GetValue(preserve))];
            bool all = parsed.GetValue(both);
            return CopyRunner.Run(new CopyArguments
            {
                Sources = given[..^1],
                Destination = given[^1],
                Recursive = parsed.GetValue(recursive),
                Quiet = parsed.GetValue(quiet),
                Json = parsed.GetValue(json),
                Options = new FileCopyOptions
                {
                    Durability = parsed.GetValue(durability) == None ? Durability.None : Durability.OnCommit,
                    CreateNew = parsed.GetValue(noReplace),
                    NoReflink = parsed.GetValue(noReflink),
                    PreserveMode = all || kept.Contains(Mode, StringComparer.Ordinal),
                    PreserveTimes = all || kept.Contains(Times, StringComparer.Ordinal),
                    Verify = parsed.GetValue(verify),
                },
            });
        });
        return command;
    }

    private static IEnumerable<string> Split(string[]? values) =>
        (values ?? []).SelectMany(value => value.Split(',', StringSplitOptions.RemoveEmptyEntries));
}
