namespace Millrace.Transfer.S3;

/// <summary>Creates one page of a listing. Used once.</summary>
/// <remarks>
/// The bucket sorts a folder as its name with a slash, so <c>a-b</c> comes before <c>a/</c>, and <see cref="TransferName"/> sorts it
/// as its name. Among fetched entries, sorting settles that. A folder after it can belong before the last fetched name
/// only if that name begins with the folder's and goes on with a character before the slash; these few are asked for.
/// </remarks>
internal sealed class S3Lister(
    S3Files files, Bucket bucket, Keys keys, DigestStore digests, AbsentKeys absent, ListFilesOptions options)
{
    /// <summary>Keys that one request returns at most.</summary>
    private const int MaxKeys = 1000;

    private readonly string _folder = keys.OfFolder(options.Folder);
    private readonly List<FileEntry> _found = [];
    private readonly HashSet<string> _folders = new(StringComparer.Ordinal);
    private readonly List<string> _omitted = [];
    private bool _any;
    private int _omittedBefore;

    public async ValueTask<FilePage> ListAsync(CancellationToken cancellationToken)
    {
        string? last = null;
        bool truncated = true;
        string? start = options.After.IsRoot ? null : keys.Of(options.After);
        while (truncated && _found.Count < options.PageSize)
        {
            // All entries found so far come before the next ones, and are on this page.
            _omittedBefore += _omitted.Count;
            _omitted.Clear();
            (last, truncated) = await FetchAsync(start, cancellationToken);
            start = last;
        }

        if (!_any && options.After.IsRoot && string.IsNullOrEmpty(options.Prefix) && !options.Folder.IsRoot)
        {
            throw Errors.NoFolder(options.Folder);
        }

        if (!_any && !await files.FolderExistsAsync(options.Folder, cancellationToken))
        {
            throw Errors.NoFolder(options.Folder);
        }

        if (truncated && !options.Recursive)
        {
            await AddFoldersBeforeAsync(last!, cancellationToken);
        }

        _found.Sort(static (left, right) => Keys.Compare(left.Name.Value, right.Name.Value));
        bool isFull = _found.Count >= options.PageSize;
        bool more = truncated || _found.Count > options.PageSize;
        if (_found.Count > options.PageSize)
        {
            _found.RemoveRange(options.PageSize, _found.Count - options.PageSize);
        }

        int after = isFull ? _omitted.Count(key => Keys.Compare(key, keys.Of(_found[^1].Name)) > 0) : 0;
        TransferName next = (more || after > 0) && _found.Count > 0 ? _found[^1].Name : default;
        _found.Sort(static (left, right) => left.Name.CompareTo(right.Name));
        return new FilePage(_found, next) { Omitted = new OmittedEntries { Names = _omittedBefore + _omitted.Count - after } };
    }

    /// <summary>Adds the entries that one request returns.</summary>
    /// <returns>The last key, and whether there are more.</returns>
    private async ValueTask<(string? Last, bool Truncated)> FetchAsync(string? after, CancellationToken cancellationToken)
    {
        ListObjectsV2Response page = await bucket.ListAsync(
            new ListObjectsV2Request
            {
                Prefix = _folder + options.Prefix,
                Delimiter = options.Recursive ? null : "/",
                StartAfter = after,

                // One more than the page, to know the last one; and the store's own folder.
                MaxKeys = Math.Min(MaxKeys, options.PageSize + 2),
            },
            cancellationToken);
        _any |= page.S3Objects.Count > 0 || page.CommonPrefixes.Count > 0;
        string? last = null;
        foreach (S3Object found in page.S3Objects)
        {
            last = Later(last, found.Key);
            if (keys.TryName(found.Key, out TransferName name) && IsAfter(name))
            {
                string tag = FileMetadata.Unquote(found.ETag);
                _found.Add(FileMetadata.ToEntry(name, found, digests.FindKnown(name, tag, found.Size ?? 0)));
            }
            else if (keys.IsOmitted(found.Key) && IsAfter(found.Key))
            {
                _omitted.Add(found.Key);
            }
        }

        foreach (string prefix in page.CommonPrefixes)
        {
            last = Later(last, prefix);
            AddFolder(prefix);
        }

        return (options.Recursive && last is not null ? keys.SkipHidden(last) : last, page.IsTruncated is true);
    }

    private void AddFolder(string prefix)
    {
        if (keys.TryName(prefix[..^1], out TransferName name) && IsAfter(name) && _folders.Add(name.Value))
        {
            // A folder is only a prefix, so it has no time.
            _found.Add(new FileEntry(name, File: null, DateTimeOffset.UnixEpoch));
        }
        else if (keys.IsOmitted(prefix) && IsAfter(prefix))
        {
            _omitted.Add(prefix);
        }
    }

    private async ValueTask AddFoldersBeforeAsync(string last, CancellationToken cancellationToken)
    {
        for (int i = _folder.Length + 1; i < last.Length; i++)
        {
            if (last[i] >= '/')
            {
                continue;
            }

            string key = last[..i] + "/";
            if (!key.StartsWith(_folder + options.Prefix, StringComparison.Ordinal) || absent.Contains(key)
                || !keys.TryName(last[..i], out TransferName name) || !IsAfter(name) || _folders.Contains(name.Value))
            {
                continue;
            }

            if (await files.FolderExistsAsync(name, cancellationToken))
            {
                AddFolder(key);
            }
            else
            {
                absent.Add(key);
            }
        }
    }

    private bool IsAfter(TransferName name) => options.After.IsRoot || name.CompareTo(options.After) > 0;

    private bool IsAfter(string key) => options.After.IsRoot || Keys.Compare(key, keys.Of(options.After)) > 0;

    private static string Later(string? left, string right) =>
        left is null || Keys.Compare(left, right) < 0 ? right : left;
}
