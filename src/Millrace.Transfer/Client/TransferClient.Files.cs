using System.Runtime.CompilerServices;

namespace Millrace.Transfer;

/// <content>Looking, listing, deleting, moving.</content>
public sealed partial class TransferClient
{
    /// <summary>Pages without an entry, one after the other, that a listing may have.</summary>
    /// <remarks>Files may be deleted while a folder is listed; an endless listing would not end otherwise.</remarks>
    private const int MaxEmptyPages = 100;

    /// <summary>Returns the facts about a file; null when it does not exist.</summary>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    public async Task<StoredFile?> FindAsync(TransferName name, CancellationToken cancellationToken = default)
    {
        ThrowIfRoot(name);
        TransferContext context = await ContextAsync(cancellationToken).ConfigureAwait(false);
        return await _retry.RunAsync(
            async (_, token) =>
            {
                using IdleWatch watch = context.Watch(token);
                return await context.Protocol.FindAsync(name, Options.VerifyDigests, watch).ConfigureAwait(false);
            },
            cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Lists a folder, page by page as the caller goes on.</summary>
    /// <param name="folder">The folder; <c>default</c> for the root.</param>
    /// <param name="recursive">Whether the files of folders in it are listed too (then folders themselves are not).</param>
    /// <param name="cancellationToken">Ends the listing.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>; <see cref="TransferError.Protocol"/>: the server lists an invalid name, or one that is not
    /// in the folder.
    /// </exception>
    public IAsyncEnumerable<RemoteEntry> ListAsync(
        TransferName folder = default, bool recursive = false, CancellationToken cancellationToken = default) =>
        ListAsync(folder, recursive, static _ => { }, cancellationToken);

    /// <summary>Lists a folder, and returns how many entries the server leaves out.</summary>
    /// <param name="folder">The folder; <c>default</c> for the root.</param>
    /// <param name="recursive">Whether the files of folders in it are listed too (then folders themselves are not).</param>
    /// <param name="omitted">
    /// Is called before the entries of a page with the number of those that are missing in it: because of their names, which the
    /// server does not take, or their kind, or because the server may not read them. Not called for none.
    /// </param>
    /// <param name="cancellationToken">Ends the listing.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>; <see cref="TransferError.Protocol"/>: the server lists an invalid name, or one that is not
    /// in the folder.
    /// </exception>
    public IAsyncEnumerable<RemoteEntry> ListAsync(
        TransferName folder, bool recursive, Action<OmittedEntries> omitted, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(omitted);
        return ListAsync(new ListOptions { Folder = folder, Recursive = recursive, Omitted = omitted }, cancellationToken);
    }

    /// <summary>Lists a folder.</summary>
    /// <param name="options">Which folder, and what of it.</param>
    /// <param name="cancellationToken">Ends the listing.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>; <see cref="TransferError.Protocol"/>: the server lists an invalid name, or one that is not
    /// in the folder; <see cref="TransferError.ProtocolNotOffered"/>: links are listed over HTTP only.
    /// </exception>
    public async IAsyncEnumerable<RemoteEntry> ListAsync(
        ListOptions options, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        TransferName folder = options.Folder;
        DigestDemand? demand = options.Demand;
        TransferContext context = await ContextAsync(cancellationToken).ConfigureAwait(false);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        string? after = null;
        int emptyPages = 0;
        bool nextHasDigests = demand is null || demand.Take();
        Task<ListingDocument>? next = FetchAsync(after, nextHasDigests);
        try
        {
            while (next is not null)
            {
                ListingDocument page = await next.ConfigureAwait(false);
                emptyPages = page.Entries.Count == 0 ? emptyPages + 1 : 0;
                bool follows = page.Next is null || (string.CompareOrdinal(page.Next, after) > 0 && emptyPages < MaxEmptyPages);
                bool hasDigests = nextHasDigests;
                string? start = after;
                after = page.Next;

                // It is on its way while the caller goes through this page.
                nextHasDigests = demand is null || demand.Take();
                next = after is not null && follows ? FetchAsync(after, nextHasDigests) : null;
                var missing = OmittedEntries.Of(page.Omitted, page.OmittedNames, page.OmittedKinds, page.OmittedUnreadable);
                if (missing.Total > 0)
                {
                    options.Omitted?.Invoke(missing);
                }

                Dictionary<string, ListingEntry>? again = null;
                foreach (ListingEntry entry in page.Entries)
                {
                    if (!hasDigests && demand!.IsMade)
                    {
                        // One more request is less than one for each file.
                        hasDigests = true;
                        ListingDocument same = await FetchAsync(start, digests: true).ConfigureAwait(false);
                        again = new Dictionary<string, ListingEntry>(same.Entries.Count, StringComparer.Ordinal);
                        foreach (ListingEntry one in same.Entries)
                        {
                            again[one.Name] = one;
                        }
                    }

                    if (again is not null && again.TryGetValue(entry.Name, out ListingEntry? now) && now.Tag == entry.Tag)
                    {
                        entry.Sha256 = now.Sha256;
                    }

                    yield return Read(entry, folder, context.Protocol.Kind);
                }

                if (!follows)
                {
                    throw Failures.Protocol(
                        new ProtocolCall("Listing", folder.Value, context.Protocol.Kind),
                        emptyPages == MaxEmptyPages ? $"{emptyPages} pages had no entry" : "the next page does not follow this one");
                }
            }
        }
        finally
        {
            await stop.CancelAsync().ConfigureAwait(false);
            if (next is not null)
            {
                await ((Task)next).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }

        Task<ListingDocument> FetchAsync(string? from, bool digests) => options.SymbolicLinks
            ? ListLinksAsync(options, from, digests, stop.Token)
            : _retry.RunAsync(
                async (_, token) =>
                {
                    using IdleWatch watch = context.Watch(token);
                    return await context.Protocol.ListAsync(folder, options.Recursive, from, digests, watch).ConfigureAwait(false);
                },
                stop.Token);
    }

    /// <summary>Deletes a file.</summary>
    /// <param name="name">The file.</param>
    /// <param name="precondition">The condition on it.</param>
    /// <param name="cancellationToken">Ends it; whether it was deleted is not known then.</param>
    /// <returns>False when there was none.</returns>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    public async Task<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition = default, CancellationToken cancellationToken = default)
    {
        ThrowIfRoot(name);
        TransferContext context = await ContextAsync(cancellationToken).ConfigureAwait(false);
        return await _retry.RunAsync(
            async (state, token) =>
            {
                using IdleWatch watch = context.Watch(token);

                // Gone after a try whose answer was lost: that try was it.
                return await context.Protocol.DeleteAsync(name, precondition, watch).ConfigureAwait(false) || state.Attempts > 1;
            },
            cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Deletes a folder with everything in it.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="options">Whether what the server hides is deleted, too.</param>
    /// <param name="cancellationToken">Ends it; whether it was deleted is not known then.</param>
    /// <returns>False when there was none.</returns>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    public Task<bool> DeleteFolderAsync(
        TransferName folder, DeleteFolderOptions options = default, CancellationToken cancellationToken = default)
    {
        ThrowIfRoot(folder);
        return RunAsync(
            async (protocol, state, watch) =>
                await protocol.DeleteFolderAsync(folder, options, watch).ConfigureAwait(false) || state.Attempts > 1,
            cancellationToken);
    }

    /// <summary>Moves or renames a file, or a folder with everything in it, in one step.</summary>
    /// <param name="from">The file or folder.</param>
    /// <param name="to">Its new name. The folder that it is in must exist.</param>
    /// <param name="options">The precondition, and whether a file may be replaced.</param>
    /// <param name="cancellationToken">Ends it; whether it was moved is not known then.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>, <see cref="TransferError.AlreadyExists"/>, or it was refused otherwise, or failed for
    /// good.
    /// </exception>
    public Task MoveAsync(
        TransferName from, TransferName to, MoveOptions options = default, CancellationToken cancellationToken = default)
    {
        ThrowIfRoot(from);
        ThrowIfRoot(to);
        return RunAsync(
            async (protocol, state, watch) =>
            {
                try
                {
                    await protocol.MoveAsync(from, to, options, watch).ConfigureAwait(false);
                    return true;
                }
                catch (TransferException exception) when (exception.Error == TransferError.NotFound && state.Attempts > 1)
                {
                    // Gone after a try whose answer was lost: if the new name has a file, that try was it.
                    if (await protocol.FindAsync(to, digest: false, watch).ConfigureAwait(false) is null)
                    {
                        throw;
                    }

                    return true;
                }
            },
            cancellationToken);
    }

    /// <summary>Creates an empty folder. The folder that it is in must exist.</summary>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.AlreadyExists"/>, <see cref="TransferError.NotFound"/>, or it was refused otherwise, or failed for
    /// good.
    /// </exception>
    public Task CreateFolderAsync(TransferName folder, CancellationToken cancellationToken = default)
    {
        ThrowIfRoot(folder);
        return RunAsync(
            async (protocol, state, watch) =>
            {
                try
                {
                    await protocol.CreateFolderAsync(folder, watch).ConfigureAwait(false);
                }
                catch (TransferException exception) when (exception.Error == TransferError.AlreadyExists && state.Attempts > 1)
                {
                    // By a try whose answer was lost.
                }

                return true;
            },
            cancellationToken);
    }

    /// <summary>Makes a second folder of the same files, or finds the one of this version: see docs/protocol.md.</summary>
    internal Task<(TransferName Name, string Version)> CloneFolderAsync(TransferName folder, TransferName clone, CancellationToken cancellationToken) =>
        RunAsync((protocol, _, watch) => protocol.CloneFolderAsync(folder, clone, watch), cancellationToken);

    /// <summary>Gives two folders each other's name.</summary>
    internal Task ExchangeFoldersAsync(
        TransferName folder, TransferName other, WritePrecondition precondition, CancellationToken cancellationToken) => RunAsync(
        async (protocol, _, watch) =>
        {
            try
            {
                await protocol.ExchangeFoldersAsync(folder, other, precondition, watch).ConfigureAwait(false);
                return true;
            }
            catch (TransferException exception) when (precondition.IsNone)
            {
                // Done twice, it would be undone.
                throw exception.AsFinal();
            }
        },
        cancellationToken);

    private async Task<T> RunAsync<T>(
        Func<Protocol, RetryState, IdleWatch, Task<T>> attempt, CancellationToken cancellationToken)
    {
        TransferContext context = await ContextAsync(cancellationToken).ConfigureAwait(false);
        return await _retry.RunAsync(
            async (state, token) =>
            {
                using IdleWatch watch = context.Watch(token);
                return await attempt(context.Protocol, state, watch).ConfigureAwait(false);
            },
            cancellationToken).ConfigureAwait(false);
    }

    private static RemoteEntry Read(ListingEntry entry, TransferName folder, TransferProtocol protocol)
    {
        if (!TransferName.TryParse(entry.Name, out TransferName name, out NameFault fault))
        {
            throw Failures.Protocol(
                new ProtocolCall("Listing", folder.Value, protocol), $"it has an entry with an invalid name ({NameRules.Describe(entry.Name, fault)})");
        }

        if (!name.IsIn(folder) || name == folder)
        {
            throw Failures.Protocol(new ProtocolCall("Listing", folder.Value, protocol), $"it has '{name}', which is not in the folder");
        }

        return entry.Kind == "folder"
            ? new RemoteEntry(name, true, null, null, null, null)
            : new RemoteEntry(
                name, false, entry.Length is >= 0 ? entry.Length : null, entry.Modified, Fields.Tag(entry.Tag),
                Sha256Digest.TryParse(entry.Sha256, out Sha256Digest digest) ? digest : null)
            {
                IsExecutable = entry.Executable == true,
                LinkTarget = entry.Kind == "symlink" ? entry.Target ?? "" : null,
            };
    }
}
