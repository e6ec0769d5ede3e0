using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>
/// The properties that clients have set: a document for each folder with those of everything in it, so that a listing reads one. Where
/// none has ever been set, nothing is read. Thread-safe.
/// </summary>
internal sealed class DeadProperties(IStoreDocuments documents)
{
    /// <summary>Bytes of the properties of one file or folder.</summary>
    public const int MaxBytes = 64 * 1024;

    /// <summary>Bytes of the properties of everything in one folder.</summary>
    private const int MaxDocumentBytes = 1024 * 1024;

    private const int MaxTries = 20;
    private const string Root = "properties/root";

    /// <summary>How long another server's first property is not seen.</summary>
    private static readonly TimeSpan Fresh = TimeSpan.FromSeconds(5);

    private static readonly PropertyDocument None = new();

    private volatile bool _hasAny;
    private long _noneSince = long.MinValue;

    /// <summary>The properties of everything in a folder.</summary>
    public async ValueTask<PropertyDocument> OfFolderAsync(TransferName folder, CancellationToken cancellationToken) =>
        await MayHaveAnyAsync(cancellationToken) ? (await ReadAsync(KeyOf(folder), cancellationToken)).Document : None;

    /// <summary>The properties of a file or folder.</summary>
    public async ValueTask<DeadProperty[]> OfAsync(TransferName name, CancellationToken cancellationToken) =>
        await MayHaveAnyAsync(cancellationToken)
            && (await ReadAsync(KeyOf(name.Folder), cancellationToken)).Document.Names.TryGetValue(FileNameOf(name), out DeadProperty[]? own)
            ? own
            : [];

    /// <summary>Changes the properties of a file or folder, all at once.</summary>
    /// <exception cref="Refusal">507: they would be too many.</exception>
    public async ValueTask ChangeAsync(
        TransferName name, Func<IReadOnlyList<DeadProperty>, DeadProperty[]> change, CancellationToken cancellationToken)
    {
        string fileName = FileNameOf(name);
        await ChangeDocumentAsync(
            KeyOf(name.Folder),
            names =>
            {
                DeadProperty[] after = change(names.GetValueOrDefault(fileName) ?? []);
                if (after.Sum(static one => (long)one.Xml.Length + one.Name.Length + one.Namespace.Length) > MaxBytes)
                {
                    throw TooMany(name, $"{MaxBytes} characters of properties for each file or folder");
                }

                return Put(names, fileName, after);
            },
            name,
            cancellationToken);
        _hasAny = true;
    }

    /// <summary>Forgets the properties of something that was deleted, and of everything in it.</summary>
    public async ValueTask DeletedAsync(TransferName name)
    {
        if (await MayHaveAnyAsync(CancellationToken.None))
        {
            await ChangeDocumentAsync(
                KeyOf(name.Folder), names => Put(names, FileNameOf(name), []), name, CancellationToken.None);
            await foreach (string key in ListBelowAsync(name))
            {
                await documents.DeleteAsync(key, CancellationToken.None);
            }
        }
    }

    /// <summary>Moves or copies the properties of a name to a new one.</summary>
    /// <param name="from">The old name.</param>
    /// <param name="to">The new name; its earlier properties are removed.</param>
    /// <param name="isCopy">Whether the old name keeps them.</param>
    /// <param name="withContent">Whether everything in a folder is meant too.</param>
    public async ValueTask PassOnAsync(TransferName from, TransferName to, bool isCopy, bool withContent)
    {
        if (!await MayHaveAnyAsync(CancellationToken.None))
        {
            return;
        }

        DeadProperty[] own = await OfAsync(from, CancellationToken.None);
        await ChangeDocumentAsync(KeyOf(to.Folder), names => Put(names, FileNameOf(to), own), to, CancellationToken.None);
        if (!isCopy)
        {
            await ChangeDocumentAsync(KeyOf(from.Folder), names => Put(names, FileNameOf(from), []), from, CancellationToken.None);
        }

        if (!withContent)
        {
            return;
        }

        await foreach (string key in ListBelowAsync(from))
        {
            if (await documents.ReadAsync(key, CancellationToken.None) is not { } found)
            {
                continue;
            }

            string target = KeyOf(to) + key[KeyOf(from).Length..];
            StoreDocument? earlier = await documents.ReadAsync(target, CancellationToken.None);
            await documents.TryWriteAsync(target, found.Content, earlier?.Version, isDurable: true, CancellationToken.None);
            if (!isCopy)
            {
                await documents.DeleteAsync(key, CancellationToken.None);
            }
        }
    }

    private static string KeyOf(TransferName folder) => folder.IsRoot ? Root : $"{Root}/{folder.Value}";

    private static string FileNameOf(TransferName name) => name.IsRoot ? "" : name.FileName;

    /// <summary>The documents of a folder and of those in it; of a file there are none.</summary>
    private async IAsyncEnumerable<string> ListBelowAsync(TransferName folder)
    {
        string own = KeyOf(folder);
        foreach (string key in (string[])[own, .. await ToArrayAsync(documents.ListAsync(own + "/", CancellationToken.None))])
        {
            yield return key;
        }
    }

    private static async ValueTask<string[]> ToArrayAsync(IAsyncEnumerable<string> keys)
    {
        var all = new HashSet<string>(StringComparer.Ordinal);
        await foreach (string key in keys)
        {
            all.Add(key);
        }

        return [.. all];
    }

    private static bool Put(Dictionary<string, DeadProperty[]> names, string name, DeadProperty[] own)
    {
        if (own.Length == 0)
        {
            return names.Remove(name);
        }

        names[name] = own;
        return true;
    }

    private async ValueTask ChangeDocumentAsync(
        string key, Func<Dictionary<string, DeadProperty[]>, bool> change, TransferName name, CancellationToken cancellationToken)
    {
        for (int i = 0; i < MaxTries; i++)
        {
            (PropertyDocument document, string? version) = await ReadAsync(key, cancellationToken);
            if (!change(document.Names))
            {
                return;
            }

            if (document.Names.Count == 0)
            {
                await documents.DeleteAsync(key, cancellationToken);
                return;
            }

            byte[] content = JsonSerializer.SerializeToUtf8Bytes(document, ServerJson.Default.PropertyDocument);
            if (content.Length > MaxDocumentBytes)
            {
                throw TooMany(name, $"{MaxDocumentBytes} bytes of properties for everything in a folder");
            }

            if (await documents.TryWriteAsync(key, content, version, isDurable: true, cancellationToken) is not null)
            {
                return;
            }
        }

        throw new TransferException(
            TransferError.Unavailable, $"Others change the properties in the same folder as '{name}'. Try again later.", name.Value);
    }

    private async ValueTask<(PropertyDocument Document, string? Version)> ReadAsync(string key, CancellationToken cancellationToken)
    {
        StoreDocument? found = await documents.ReadAsync(key, cancellationToken);
        try
        {
            return found is null
                ? (new PropertyDocument(), null)
                : (JsonSerializer.Deserialize(found.Content.Span, ServerJson.Default.PropertyDocument) ?? new PropertyDocument(), found.Version);
        }
        catch (JsonException)
        {
            // Cut by a power failure: the next change replaces it.
            return (new PropertyDocument(), found!.Version);
        }
    }

    private async ValueTask<bool> MayHaveAnyAsync(CancellationToken cancellationToken)
    {
        if (_hasAny)
        {
            return true;
        }

        long since = Volatile.Read(ref _noneSince);
        if (since != long.MinValue
            && (!documents.IsShared || Environment.TickCount64 - since < Fresh.TotalMilliseconds))
        {
            return false;
        }

        long now = Environment.TickCount64;
        await foreach (string _ in documents.ListAsync("properties/", cancellationToken))
        {
            return _hasAny = true;
        }

        Volatile.Write(ref _noneSince, now);
        return false;
    }

    private static Refusal TooMany(TransferName name, string limit) => new(
        TransferError.NoSpace, $"The properties of '{name}' are not stored: the limit is {limit}. Remove others first.", name.Value)
    {
        Status = StatusCodes.Status507InsufficientStorage,
    };
}
