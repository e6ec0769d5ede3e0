using System.CommandLine;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>Finds out whether the other side has a file already, so that it is not moved again.</summary>
internal static class PresentFile
{
    /// <summary>Whether a file here and one on the server are the same.</summary>
    /// <param name="client">Asks for dates and digests that the listing lacks.</param>
    /// <param name="path">The file here.</param>
    /// <param name="remote">The file there, as it was listed.</param>
    /// <param name="present">How they are compared.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The server's date of a file that is the same; null for another one.</returns>
    public static async ValueTask<FileTime?> FindSameAsync(
        TransferClient client, string path, RemoteEntry remote, PresentOptions present, CancellationToken cancellationToken)
    {
        if (!LocalTime.TryLook(path, out long length, out FileTime modified) || length != remote.Length
            || (present.Permissions && !await HasPermissionsAsync().ConfigureAwait(false)))
        {
            return null;
        }

        if (IsOf(remote.Modified))
        {
            return modified;
        }

        FileTime? there = remote.Modified;
        Sha256Digest? digest = remote.Sha256;
        if (digest is null)
        {
            // A bucket lists neither.
            StoredFile? found = await client.FindAsync(remote.Name, cancellationToken).ConfigureAwait(false);
            if (found?.Length == length && IsOf(found.Modified))
            {
                return modified;
            }

            there = found?.Modified;
            digest = found?.Sha256;
        }

        return digest is { } wanted && await LocalFolder.HashAsync(path, cancellationToken).ConfigureAwait(false) == wanted ? there ?? modified : null;

        // Listings of a bucket do not have the executable bit; it is requested only for files that are programs here.
        async ValueTask<bool> HasPermissionsAsync() => OperatingSystem.IsWindows()
            || File.GetUnixFileMode(path).HasFlag(UnixFileMode.UserExecute) == (remote.IsExecutable
                || (File.GetUnixFileMode(path).HasFlag(UnixFileMode.UserExecute)
                    && (await client.FindAsync(remote.Name, cancellationToken).ConfigureAwait(false))?.IsExecutable == true));

        bool IsOf(FileTime? time) => !present.BySha256 && time is { } other && LocalTime.Agree(other, modified);
    }
}

/// <summary>The options of put and get about files that are there already, and about dates.</summary>
internal sealed class PresentOptionSet
{
    private readonly Option<bool> _all = new("--all")
    {
        Description = "Of a folder, also move files that are there already.",
    };

    private readonly Option<bool> _checksum = new("--checksum")
    {
        Description = "Take a file of a folder for the same when its SHA-256 is, not when its length and date are.",
    };

    private readonly Option<bool> _noTimes = new("--no-times")
    {
        Description = "Give files the date of their arrival, not that of their last change.",
    };

    private readonly Option<bool> _perms = PermissionsOption.Create();

    private readonly Option<bool> _links = LinksOption.Create();

    public PresentOptionSet() => _checksum.Validators.Add(result =>
    {
        if (!result.Implicit && result.GetResult(_all) is { Implicit: false })
        {
            result.AddError("--checksum and --all exclude each other.");
        }
    });

    public void AddTo(Command command) => command.Add(_all, _checksum, _noTimes, _perms, _links);

    public PresentOptions Read(ParseResult parsed) =>
        new(parsed.GetValue(_all), parsed.GetValue(_checksum), parsed.GetValue(_noTimes), parsed.GetValue(_perms), parsed.GetValue(_links));
}

/// <param name="All">Whether files are moved that are there already.</param>
/// <param name="BySha256">Whether an equal date proves nothing.</param>
/// <param name="NoTimes">Whether dates stay where they are.</param>
/// <param name="Permissions">Whether programs are programs on the other side, too.</param>
/// <param name="Links">Whether links are moved as such.</param>
internal readonly record struct PresentOptions(bool All, bool BySha256, bool NoTimes, bool Permissions, bool Links);

/// <summary>The option about executable bits.</summary>
internal static class PermissionsOption
{
    public static Option<bool> Create() => new("--perms")
    {
        Description = "Let programs be programs there, too: the executable bit, as git keeps it.",
    };
}
