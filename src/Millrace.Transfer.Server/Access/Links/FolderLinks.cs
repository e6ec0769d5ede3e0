using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>
/// Links to folders of a store: to look at and download, or to drop files into. Each has a document beside the files, so that it can be
/// limited, counted and revoked.
/// </summary>
/// <remarks>All members can be called by any number of threads, processes and servers at once.</remarks>
/// <param name="documents">The store's documents: <see cref="IFileStore.Documents"/>.</param>
/// <param name="tokens">Has the key without which no link is valid; see <see cref="TokenStore.RevokeLinksAsync"/>.</param>
/// <param name="clock">The clock by which links expire; null for the system's.</param>
public sealed class FolderLinks(IStoreDocuments documents, TokenStore tokens, TimeProvider? clock = null)
{
    /// <summary>How often a document is read again that another server has changed meanwhile.</summary>
    private const int MaxTries = 60;

    private const string KeyPrefix = "links/";
    private const int MaxIdLength = 64;

    /// <summary>The longest <see cref="FolderLinkOptions.Lifetime"/>.</summary>
    internal static readonly TimeSpan MaxLifetime = TimeSpan.FromDays(366);

    /// <summary>How long a list shows expired links and their use.</summary>
    private static readonly TimeSpan KeptExpired = TimeSpan.FromDays(30);

    /// <summary>Requests of this process change a document one after the other: only those of other servers get in each other's way.</summary>
    private static readonly ConcurrentDictionary<string, SemaphoreSlim> Turns = new(StringComparer.Ordinal);

    private readonly TimeProvider _clock = clock ?? TimeProvider.System;

    /// <summary>The documents of a store's folder, for programs beside its server.</summary>
    /// <param name="root">The folder that is served; it has to exist.</param>
    /// <param name="statePath">Where its state is, if not in the folder: <see cref="LocalFileStoreOptions.StatePath"/>.</param>
    public static IStoreDocuments OpenDocuments(string root, string? statePath = null) =>
        new LocalDocuments(StateFolder.Of(root, statePath), Durability.OnCommit);

    /// <summary>Makes a link.</summary>
    /// <param name="options">The link's options.</param>
    /// <param name="cancellationToken">Until it begins to be stored.</param>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>; or that of <see cref="TokenStore.GetLinkKeyAsync"/>.</exception>
    public async ValueTask<CreatedFolderLink> CreateAsync(FolderLinkOptions options, CancellationToken cancellationToken = default)
    {
        if (options.Lifetime <= TimeSpan.Zero || options.Lifetime > MaxLifetime)
        {
            throw Errors.Invalid($"A link to a folder is valid for up to {MaxLifetime.TotalDays:0} days.", options.Folder.Value);
        }

        if (options is { MaxUses: < 1 } or { MaxBytes: < 1 })
        {
            throw Errors.Invalid("The limits of a link are numbers from 1 on. Leave one out to have none.", options.Folder.Value);
        }

        if (options.Password is { Length: 0 or > LinkPassword.MaxCharacters })
        {
            throw Errors.Invalid($"A password has 1 to {LinkPassword.MaxCharacters} characters.", options.Folder.Value);
        }

        if (options.AsksName && !options.IsDrop)
        {
            throw Errors.Invalid("Only links to drop files ask for the sender's name.", options.Folder.Value);
        }

        if (!options.Folder.IsIn(options.Prefix))
        {
            throw Errors.Invalid($"'{options.Folder}' is not below '{options.Prefix}'.", options.Folder.Value);
        }

        LinkKey key = await tokens.GetLinkKeyAsync(cancellationToken);
        LinkSecret secret = LinkSecret.Next(key, out string text);
        DateTimeOffset now = _clock.GetUtcNow();
        var record = new FolderLinkRecord
        {
            Id = secret.Id,
            Folder = options.Folder.Value,
            IsDrop = options.IsDrop,
            Prefix = options.Prefix.IsRoot ? null : options.Prefix.Value,
            Owner = options.Owner,
            Created = now,
            Expires = now + options.Lifetime,
            Password = options.Password is { } password ? LinkPassword.Of(password) : null,
            MaxUses = options.MaxUses,
            MaxBytes = options.MaxBytes,
            AsksName = options.AsksName,
        };
        return await documents.TryWriteAsync(KeyOf(record.Id), record.ToJson(), version: null, isDurable: true, cancellationToken) is not null
            ? new CreatedFolderLink(record.ToLink(), text)
            : throw new TransferException(TransferError.Failed, "The store has a link with the same random bits. Try again.");
    }

    /// <summary>All links, those that have expired within a month too; older ones are deleted. Those that cannot be read are left out.</summary>
    /// <param name="cancellationToken">Ends the list.</param>
    public async IAsyncEnumerable<FolderLink> ListAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (string key in documents.ListAsync(KeyPrefix, cancellationToken))
        {
            string id = key[KeyPrefix.Length..];
            if (!IsId(id))
            {
                continue;
            }

            FolderLinkRecord? record = null;
            try
            {
                record = await ReadAsync(documents, id, cancellationToken);
            }
            catch (TransferException exception) when (exception.InnerException is System.Text.Json.JsonException or FormatException)
            {
                // It opens nothing either.
            }

            if (record?.Expires < _clock.GetUtcNow() - KeptExpired)
            {
                await documents.DeleteAsync(KeyOf(id), cancellationToken);
            }
            else if (record is not null)
            {
                yield return record.ToLink();
            }
        }
    }

    /// <summary>Finds a link.</summary>
    /// <returns>Null if there is none.</returns>
    public async ValueTask<FolderLink?> FindAsync(string id, CancellationToken cancellationToken = default) =>
        IsId(id) ? (await ReadAsync(documents, id, cancellationToken))?.ToLink() : null;

    /// <summary>Revokes a link: the next request with it is refused.</summary>
    /// <returns>False if there was none.</returns>
    public async ValueTask<bool> RevokeAsync(string id, CancellationToken cancellationToken = default)
    {
        if (!IsId(id) || await documents.ReadAsync(KeyOf(id), cancellationToken) is null)
        {
            return false;
        }

        await documents.DeleteAsync(KeyOf(id), cancellationToken);
        return true;
    }

    internal static async ValueTask<FolderLinkRecord?> ReadAsync(IStoreDocuments documents, string id, CancellationToken cancellationToken) =>
        await documents.ReadAsync(KeyOf(id), cancellationToken) is { } stored ? FolderLinkRecord.Parse(stored, id) : null;

    /// <summary>Changes the document of a link, durably and in one step.</summary>
    /// <param name="documents">The store's documents.</param>
    /// <param name="id">The link.</param>
    /// <param name="change">Changes it, and may be called again for another version; throws to leave it as it is.</param>
    /// <param name="cancellationToken">Until it begins to be written.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Forbidden"/>: it was revoked. <see cref="TransferError.Unavailable"/>: others change it all the time.
    /// </exception>
    internal static async ValueTask ChangeAsync(
        IStoreDocuments documents, string id, Action<FolderLinkRecord> change, CancellationToken cancellationToken)
    {
        SemaphoreSlim turn = Turns.GetOrAdd(id, static _ => new SemaphoreSlim(1, 1));
        await turn.WaitAsync(cancellationToken);
        try
        {
            for (int i = 0; i < MaxTries; i++)
            {
                StoreDocument stored = await documents.ReadAsync(KeyOf(id), cancellationToken)
                    ?? throw new TransferException(TransferError.Forbidden, LinkHandler.Refused);
                FolderLinkRecord record = FolderLinkRecord.Parse(stored, id);
                change(record);
                if (await documents.TryWriteAsync(KeyOf(id), record.ToJson(), stored.Version, isDurable: true, cancellationToken) is not null)
                {
                    return;
                }

                await Task.Delay(RandomNumberGenerator.GetInt32(1, 2 << Math.Min(i, 6)), cancellationToken);
            }
        }
        finally
        {
            turn.Release();
        }

        throw new TransferException(TransferError.Unavailable, "Too many requests use this link at once. Try again in a moment.");
    }

    private static string KeyOf(string id) => KeyPrefix + id;

    private static bool IsId(string id) => id.Length is > 0 and <= MaxIdLength && id.All(char.IsAsciiHexDigitLower);
}
