namespace Millrace.Transfer.Server;

/// <summary>
/// Keeps deleted and replaced files of a store for a while. They are in no listing, but count for the store's total. Thread-safe.
/// </summary>
public interface IFileTrash
{
    /// <summary>Lists the entries of the trash, the newest first.</summary>
    /// <param name="options">Which entries.</param>
    /// <param name="cancellationToken">Ends it.</param>
    ValueTask<TrashPage> ListAsync(ListTrashOptions options, CancellationToken cancellationToken);

    /// <summary>Finds an entry by its id.</summary>
    /// <returns>Null if there is none.</returns>
    ValueTask<TrashEntry?> FindAsync(string id, CancellationToken cancellationToken);

    /// <summary>Gives a file or folder a name again. Missing folders above it are created; nothing is ever replaced.</summary>
    /// <param name="id">The entry.</param>
    /// <param name="name">Its new name; <c>default</c> for the one that it had.</param>
    /// <param name="cancellationToken">Until it begins to be moved.</param>
    /// <returns>The name that it has now.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>: there is no such entry; <see cref="TransferError.AlreadyExists"/>: something has the name.
    /// </exception>
    ValueTask<TransferName> RestoreAsync(string id, TransferName name, CancellationToken cancellationToken);

    /// <summary>Deletes an entry for good.</summary>
    /// <returns>False if there was none.</returns>
    ValueTask<bool> DeleteAsync(string id, CancellationToken cancellationToken);
}

/// <summary>A deleted or replaced file, or a deleted folder with everything in it.</summary>
/// <param name="Id">Names it in the trash: letters and digits, which sort by the time.</param>
/// <param name="Name">The name that it had.</param>
/// <param name="IsFolder">Whether it is a folder.</param>
/// <param name="Bytes">Bytes of the file, or of all files in the folder.</param>
/// <param name="Deleted">When it was deleted or replaced.</param>
/// <param name="DeletedBy">The name of the token or user that deleted it; null if the caller was anonymous.</param>
/// <param name="IsReplaced">Whether it was replaced by another version.</param>
public sealed record TrashEntry(
    string Id, TransferName Name, bool IsFolder, long Bytes, DateTimeOffset Deleted, string? DeletedBy, bool IsReplaced);

/// <summary>Which entries <see cref="IFileTrash.ListAsync"/> returns.</summary>
public readonly record struct ListTrashOptions
{
    /// <summary>Default of <see cref="PageSize"/>.</summary>
    internal const int DefaultPageSize = 1000;

    /// <summary>A file, or the folder in which the entries were; <c>default</c> for all.</summary>
    public TransferName Prefix { get; init; }

    /// <summary>The <see cref="TrashPage.Next"/> of the page before; null for the first page.</summary>
    public string? After { get; init; }

    /// <summary>Entries of a page; 1 or more, 1,000 by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1.</exception>
    public int PageSize
    {
        get => field == 0 ? DefaultPageSize : field;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            field = value;
        }
    }
}

/// <summary>Some entries of the trash.</summary>
/// <param name="Entries">The newest first.</param>
/// <param name="Next">Where the next page begins; null at the end.</param>
public sealed record TrashPage(IReadOnlyList<TrashEntry> Entries, string? Next);
