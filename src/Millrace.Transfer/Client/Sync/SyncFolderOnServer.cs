using System.Runtime.CompilerServices;

namespace Millrace.Transfer;

/// <summary>A folder on a server.</summary>
internal sealed class SyncFolderOnServer(TransferClient client, TransferName root) : SyncFolder
{
    /// <summary>Only a folder meets it.</summary>
    private static readonly WritePrecondition NoFile = new() { CreateNew = true };

    private readonly DigestDemand _demand = new();

    public TransferClient Client => client;

    public TransferName Root => root;

    /// <summary>The name of a file in the store.</summary>
    public TransferName NameOf(TransferName name) => root.Append(name.Value);

    /// <summary>The condition that a file is still as it was listed.</summary>
    public static WritePrecondition ConditionOf(SyncEntry? listed) =>
        listed is null ? new WritePrecondition { CreateNew = true }
        : listed.Tag is { } tag ? new WritePrecondition { Match = [tag] }
        : default;

    internal override IAsyncEnumerable<SyncEntry> ListAsync(bool links, Action<SyncFault> faults, CancellationToken cancellationToken) =>
        ListFolderAsync(root, links, faults, cancellationToken);

    internal override async IAsyncEnumerable<SyncEntry> ListAsync(
        TransferName name, bool links, Action<SyncFault> faults, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        if (await FindAsync(name, links, cancellationToken).ConfigureAwait(false) is { } file)
        {
            yield return file;
            yield break;
        }

        await foreach (SyncEntry entry in ListFolderAsync(NameOf(name), links, faults, cancellationToken).ConfigureAwait(false))
        {
            yield return entry;
        }
    }

    private async IAsyncEnumerable<SyncEntry> ListFolderAsync(
        TransferName folder, bool links, Action<SyncFault> faults, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        IAsyncEnumerator<RemoteEntry> entries = client
            .ListAsync(new ListOptions { Folder = folder, Recursive = true, SymbolicLinks = links, Omitted = Omit, Demand = _demand }, cancellationToken)
            .GetAsyncEnumerator(cancellationToken);
        await using ConfiguredAsyncDisposable _ = entries.ConfigureAwait(false);
        bool hasBegun = false;
        while (await NextAsync().ConfigureAwait(false))
        {
            hasBegun = true;
            RemoteEntry entry = entries.Current;
            if (!entry.IsFolder)
            {
                yield return new SyncEntry(
                    entry.Name.Below(root), entry.Length ?? 0, entry.Modified ?? default, entry.Tag, entry.Sha256)
                {
                    IsExecutable = entry.IsExecutable,
                    LinkTarget = links ? entry.LinkTarget : null,
                };
            }
        }

        void Omit(OmittedEntries omitted) => faults(new SyncFault(
            client.UrlOf(folder).AbsoluteUri,
            new TransferException(TransferError.Failed, $"{omitted.Total} entries are not in the server's listing: {omitted}.") { Omitted = omitted.Total },
            HidesFiles: true));

        async ValueTask<bool> NextAsync()
        {
            try
            {
                return await entries.MoveNextAsync().ConfigureAwait(false);
            }
            catch (TransferException exception) when (exception.Error == TransferError.NotFound && !hasBegun)
            {
                return false;
            }
        }
    }

    internal override async ValueTask<SyncEntry?> FindAsync(TransferName name, bool links, CancellationToken cancellationToken) =>
        links && await client.FindSymbolicLinkAsync(NameOf(name), cancellationToken).ConfigureAwait(false) is { } link
            ? new SyncEntry(name, 0, link.Modified ?? default, link.Tag) { LinkTarget = link.LinkTarget }
        : await client.FindAsync(NameOf(name), cancellationToken).ConfigureAwait(false) is { } file
            ? new SyncEntry(name, file.Length, file.Modified, file.Tag, file.Sha256) { IsExecutable = file.IsExecutable }
            : null;

    internal override async ValueTask SetTimeAsync(SyncEntry entry, FileTime modified, CancellationToken cancellationToken)
    {
        try
        {
            await client.SetModifiedAsync(NameOf(entry.Name), modified, ConditionOf(entry), cancellationToken).ConfigureAwait(false);
        }
        catch (TransferException)
        {
            // A server without such requests, a token that may not, or another file by now: the next sync compares it again.
        }
    }

    internal override async ValueTask<Sha256Digest?> HashAsync(SyncEntry entry, CancellationToken cancellationToken)
    {
        _demand.Make();
        return entry.Sha256 ?? (await FindAsync(entry.Name, links: false, cancellationToken).ConfigureAwait(false))?.Sha256;
    }

    internal override void ExpectHashes() => _demand.Make();

    /// <inheritdoc/>
    /// <remarks>A bucket does not list it. To ask about each file would take hours, so that only programs here are asked about.</remarks>
    internal override async ValueTask<bool?> IsExecutableAsync(SyncEntry entry, bool? other, CancellationToken cancellationToken) =>
        entry.IsExecutable || (other == true && (await FindAsync(entry.Name, links: false, cancellationToken).ConfigureAwait(false))?.IsExecutable == true);

    internal override TransferName? Below(string folder)
    {
        TransferName name = TransferName.Parse(folder);
        return name == root ? throw KeepsItself() : name.IsIn(root) ? LocalFolder.Below(name, root) : null;
    }

    internal override async Task MoveAsync(SyncEntry from, TransferName to, CancellationToken cancellationToken)
    {
        await PrepareAsync(NameOf(to).Folder, cancellationToken).ConfigureAwait(false);
        await client.MoveAsync(
            NameOf(from.Name), NameOf(to), new MoveOptions { Source = ConditionOf(from) }, cancellationToken).ConfigureAwait(false);
    }

    internal override async Task KeepAsync(SyncEntry entry, string folder, CancellationToken cancellationToken)
    {
        TransferName kept = TransferName.Parse($"{folder}/{entry.Name.Value}");
        await PrepareAsync(kept.Folder, cancellationToken).ConfigureAwait(false);
        await client.MoveAsync(
            NameOf(entry.Name), kept, new MoveOptions { Source = ConditionOf(entry), Replace = true }, cancellationToken).ConfigureAwait(false);
    }

    internal override Task LinkAsync(SyncEntry link, SyncEntry? listed, CancellationToken cancellationToken) =>
        client.PutSymbolicLinkAsync(NameOf(link.Name), link.LinkTarget!, ConditionOf(listed), cancellationToken);

    internal override async Task RemoveAsync(SyncEntry entry, CancellationToken cancellationToken) => _ = entry.LinkTarget is not null
        ? await client.DeleteSymbolicLinkAsync(NameOf(entry.Name), ConditionOf(entry), cancellationToken).ConfigureAwait(false)
        : await client.DeleteAsync(NameOf(entry.Name), ConditionOf(entry), cancellationToken).ConfigureAwait(false);

    internal override async Task<bool> TryClearAsync(TransferName folder, CancellationToken cancellationToken)
    {
        try
        {
            return await ClearAsync(NameOf(folder)).ConfigureAwait(false);
        }
        catch (TransferException)
        {
            return false;
        }

        async Task<bool> ClearAsync(TransferName name)
        {
            await foreach (RemoteEntry inner in client.ListAsync(name, recursive: false, cancellationToken).ConfigureAwait(false))
            {
                if (!inner.IsFolder || !await ClearAsync(inner.Name).ConfigureAwait(false))
                {
                    return false;
                }
            }

            return await client.DeleteAsync(name, NoFile, cancellationToken).ConfigureAwait(false);
        }
    }

    internal override async Task RemoveEmptyAsync(TransferName folder, CancellationToken cancellationToken)
    {
        try
        {
            await client.DeleteAsync(NameOf(folder), NoFile, cancellationToken).ConfigureAwait(false);
        }
        catch (TransferException exception) when (!exception.IsTransient)
        {
            // It has something that is not synced.
        }
    }

    /// <summary>Creates the folders of a name, from the outermost one that is missing.</summary>
    private async ValueTask PrepareAsync(TransferName folder, CancellationToken cancellationToken)
    {
        if (folder.IsRoot)
        {
            return;
        }

        try
        {
            await client.CreateFolderAsync(folder, cancellationToken).ConfigureAwait(false);
        }
        catch (TransferException exception) when (exception.Error == TransferError.AlreadyExists)
        {
            // As most do.
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            await PrepareAsync(folder.Folder, cancellationToken).ConfigureAwait(false);
            await PrepareAsync(folder, cancellationToken).ConfigureAwait(false);
        }
    }

    internal override string OwnName => root.FileName;

    internal override SyncFolder Sibling(string name) => new SyncFolderOnServer(client, root.Folder.Append(name));

    internal override async Task<bool> ExistsAsync(CancellationToken cancellationToken) =>
        (await FoldersAsync(cancellationToken).ConfigureAwait(false)).Contains(OwnName);

    internal override async Task<IReadOnlyList<string>> SiblingsAsync(string suffix, CancellationToken cancellationToken) =>
    [
        .. (await FoldersAsync(cancellationToken).ConfigureAwait(false))
            .Where(name => name.StartsWith(OwnName + suffix, StringComparison.Ordinal)),
    ];

    internal override async Task<(string Name, string Version)?> CloneAsync(string prefix, CancellationToken cancellationToken)
    {
        try
        {
            return await client.CloneFolderAsync(root, root.Folder.Append(prefix), cancellationToken).ConfigureAwait(false) is (var name, var version)
                ? (name.FileName, version)
                : null;
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            return null;
        }
    }

    internal override Task ExchangeAsync(string sibling, string? version, CancellationToken cancellationToken) => client.ExchangeFoldersAsync(
        root,
        root.Folder.Append(sibling),
        version is null ? default : new WritePrecondition { Match = [new EntityTag(version)] },
        cancellationToken);

    internal override Task MoveSiblingAsync(string from, string to, CancellationToken cancellationToken) => client.MoveAsync(
        root.Folder.Append(from), root.Folder.Append(to), default, cancellationToken);

    internal override Task DeleteSiblingAsync(string sibling, CancellationToken cancellationToken) =>
        client.DeleteFolderAsync(root.Folder.Append(sibling), default, cancellationToken);

    /// <summary>The folders in the folder that it is in.</summary>
    private async Task<List<string>> FoldersAsync(CancellationToken cancellationToken)
    {
        var names = new List<string>();
        try
        {
            await foreach (RemoteEntry entry in client.ListAsync(root.Folder, recursive: false, cancellationToken).ConfigureAwait(false))
            {
                if (entry.IsFolder)
                {
                    names.Add(entry.Name.FileName);
                }
            }
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            // It comes with the first file.
        }

        return names;
    }
}
