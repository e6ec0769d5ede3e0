using System.Buffers;
using System.Globalization;

namespace Millrace.Transfer;

/// <summary>
/// The next version of a whole folder: beside it, with the same files, until it takes the folder's place in one step. Not thread-safe.
/// </summary>
/// <remarks>
/// It is a folder <c>NAME.next-VERSION</c>; versions that are kept are <c>NAME.kept-TIME</c>. Unchanged files are hard links where the
/// system has them. A stage that was not published is found again as long as the folder is not changed.
/// </remarks>
public sealed class SyncStage
{
    private const string Next = ".next-";
    private const string Kept = ".kept-";
    private const string New = "new";
    private const int MinVersionLength = 16;

    private static readonly SearchValues<char> HexDigits = SearchValues.Create("0123456789abcdef");

    /// <summary>As fine as the clock, and without characters that Windows does not take.</summary>
    private const string TimeFormat = "yyyyMMdd'T'HHmmss.fffffff'Z'";

    private readonly SyncFolder _target;
    private readonly string _name;
    private readonly string? _version;

    private SyncStage(SyncFolder target, string name, string? version)
    {
        _target = target;
        _name = name;
        _version = version;
        Folder = target.Sibling(name);
    }

    /// <summary>The folder to sync into.</summary>
    public SyncFolder Folder { get; }

    /// <summary>Makes a stage, or finds the one that was made of this version of the folder; deletes those of others.</summary>
    /// <param name="target">The folder; it need not exist. Not the root of a server.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.InvalidRequest"/>: it cannot be published as a whole, for example because it is in a bucket.
    /// </exception>
    public static async Task<SyncStage> CreateAsync(SyncFolder target, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(target);
        if (target.OwnName.Length == 0)
        {
            throw new TransferException(
                TransferError.InvalidRequest, "Only a folder can be published as a whole, not all files of a server or a file system. Name a folder in it.");
        }

        (string name, string? version) = await target.CloneAsync(target.OwnName + Next, cancellationToken).ConfigureAwait(false)
            is { } clone ? (clone.Name, clone.Version) : (target.OwnName + Next + New, null);
        await DeleteOthersAsync(target, name, cancellationToken).ConfigureAwait(false);
        return new SyncStage(target, name, version);
    }

    /// <summary>Deletes the stages of a folder: those that were never published, and one whose process was killed after it had been.</summary>
    /// <param name="target">The folder.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    public static Task DeleteUnfinishedAsync(SyncFolder target, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(target);
        return target.OwnName.Length == 0 ? Task.CompletedTask : DeleteOthersAsync(target, name: null, cancellationToken);
    }

    private static async Task DeleteOthersAsync(SyncFolder target, string? name, CancellationToken cancellationToken)
    {
        foreach (string other in await target.SiblingsAsync(Next, cancellationToken).ConfigureAwait(false))
        {
            if (other != name && IsStage(other.AsSpan(target.OwnName.Length + Next.Length)))
            {
                await target.DeleteSiblingAsync(other, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Replaces the folder by the stage, if the folder has not changed since the stage was made.</summary>
    /// <param name="keep">How many earlier versions stay, this one included; null to delete this one and leave the others.</param>
    /// <param name="cancellationToken">Until it begins.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.PreconditionFailed"/>, or <see cref="TransferError.AlreadyExists"/>: the folder has changed. Make
    /// another stage.
    /// </exception>
    public async Task PublishAsync(int? keep = null, CancellationToken cancellationToken = default)
    {
        if (keep is { } count)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(count, nameof(keep));
        }

        if (_version is null)
        {
            await _target.MoveSiblingAsync(_name, _target.OwnName, cancellationToken).ConfigureAwait(false);
            return;
        }

        await _target.ExchangeAsync(_name, _version, cancellationToken).ConfigureAwait(false);
        if (keep is null or 0)
        {
            await _target.DeleteSiblingAsync(_name, cancellationToken).ConfigureAwait(false);
        }
        else
        {
            await _target.MoveSiblingAsync(_name, NewKept(_target), cancellationToken).ConfigureAwait(false);
        }

        IReadOnlyList<string> kept = keep is null ? [] : await _target.SiblingsAsync(Kept, cancellationToken).ConfigureAwait(false);
        foreach (string old in kept.Where(name => TryParse(name, _target, out _)).OrderDescending(StringComparer.Ordinal).Skip(keep ?? 0))
        {
            await _target.DeleteSiblingAsync(old, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Gives a folder the version back that was kept last, in one step. The present version is kept instead.</summary>
    /// <param name="target">The folder.</param>
    /// <param name="cancellationToken">Until it begins.</param>
    /// <returns>When the version that is there now was replaced.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>: no version was kept.</exception>
    public static async Task<DateTimeOffset> RestoreAsync(SyncFolder target, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(target);
        IReadOnlyList<string> all = target.OwnName.Length == 0 ? [] : await target.SiblingsAsync(Kept, cancellationToken).ConfigureAwait(false);
        var time = default(DateTimeOffset);
        string kept = all.OrderDescending(StringComparer.Ordinal).FirstOrDefault(name => TryParse(name, target, out time))
            ?? throw new TransferException(
                TransferError.NotFound, $"No earlier version of '{target.OwnName}' is kept: a sync that publishes in one step keeps as many as it is told to.");
        if (await target.ExistsAsync(cancellationToken).ConfigureAwait(false))
        {
            await target.ExchangeAsync(kept, version: null, cancellationToken).ConfigureAwait(false);
            await target.MoveSiblingAsync(kept, NewKept(target), cancellationToken).ConfigureAwait(false);
        }
        else
        {
            await target.MoveSiblingAsync(kept, target.OwnName, cancellationToken).ConfigureAwait(false);
        }

        return time;
    }

    /// <summary>Whether a name ends like those of <see cref="CreateAsync"/>, and not like one that a user has chosen.</summary>
    private static bool IsStage(ReadOnlySpan<char> version) =>
        version is New || (version.Length >= MinVersionLength && !version.ContainsAnyExcept(HexDigits));

    private static string NewKept(SyncFolder target) =>
        target.OwnName + Kept + DateTimeOffset.UtcNow.ToString(TimeFormat, CultureInfo.InvariantCulture);

    private static bool TryParse(string name, SyncFolder target, out DateTimeOffset time) => DateTimeOffset.TryParseExact(
        name.AsSpan(target.OwnName.Length + Kept.Length), TimeFormat, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out time);
}
