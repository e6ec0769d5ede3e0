using System.Globalization;
using System.Xml;

namespace Millrace.Transfer.Server;

/// <summary>LOCK and UNLOCK (RFC 4918, sections 9.10 and 9.11).</summary>
internal sealed class FileLocking(IFileStore store)
{
    /// <summary>Characters that a lock may say about its owner; more of them are left out.</summary>
    private const int MaxOwnerLength = 1024;

    /// <summary>Times that a name is found unused, and taken by another caller before its file is made.</summary>
    private const int MaxTries = 3;

    /// <summary>Maximum duration of a lock without a refresh.</summary>
    /// <remarks>A client that dies leaves its locks for so long. Clients refresh before.</remarks>
    private static readonly TimeSpan MaxTimeout = TimeSpan.FromHours(1);

    /// <summary>How long it lasts if the client does not say.</summary>
    private static readonly TimeSpan DefaultTimeout = TimeSpan.FromMinutes(10);

    public async Task LockAsync(HttpContext context, FileTarget target)
    {
        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(context, store, TransferOperation.Lock, target.Name);
        ReadOnlyMemory<byte> body = await DavDocument.ReadBodyAsync(context);
        if (body.IsEmpty)
        {
            await RefreshAsync(context, pass, target);
            return;
        }

        bool isDeep = context.Request.Headers["Depth"].ToString() switch
        {
            "" or "infinity" or "Infinity" => true,
            "0" => false,
            _ => throw Errors.Invalid("The field Depth of a LOCK is 0 or infinity."),
        };
        (bool isShared, string? syncKey, string? owner) = DavDocument.Read(body, "lockinfo", ReadInfo);
        bool isForSync = syncKey is not null;
        CancellationToken aborted = context.RequestAborted;
        (bool isFolder, StoredFile? made) = isForSync ? (true, null) : await FindOrMakeAsync(context, pass, target);
        TimeSpan timeout = ReadTimeout(context.Request);
        var taken = new WriteLock
        {
            Token = $"urn:uuid:{Guid.NewGuid():D}",
            Name = target.Name.Value,
            IsFolder = isFolder,
            IsShared = isShared,
            IsDeep = isDeep && isFolder && !isForSync,
            IsForSync = isForSync,
            SyncKey = syncKey,
            Caller = pass.Owner,
            OwnerXml = owner,
            Seconds = (long)timeout.TotalSeconds,
            Expires = pass.Now + timeout,
            MadeTag = made?.Tag.Value,
            MadeTime = made?.Modified.ToString(),
        };
        try
        {
            await pass.State!.Locks.ChangeAsync(locks => Grant(locks, taken, pass), aborted);

            // Nobody would know its token.
            aborted.ThrowIfCancellationRequested();
        }
        catch
        {
            await GiveUpAsync(pass, taken);
            throw;
        }

        context.Response.StatusCode = made is null ? StatusCodes.Status200OK : StatusCodes.Status201Created;
        context.Response.Headers["Lock-Token"] = $"<{taken.Token}>";
        await SendAsync(context, [taken], pass.Now);
    }

    public async Task UnlockAsync(HttpContext context, FileTarget target)
    {
        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(context, store, TransferOperation.Lock, target.Name);
        string field = context.Request.Headers["Lock-Token"].ToString().Trim();
        if (field is not ['<', .. var token, '>'])
        {
            throw Errors.Invalid("UNLOCK needs the field Lock-Token with the token in angle brackets, as the response to LOCK had it.");
        }

        await pass.State!.Locks.ChangeAsync(
            locks =>
            {
                WriteLock held = locks.About(target.Name).FirstOrDefault(one => one.Token == token && one.Expires > pass.Now)
                    ?? throw new Refusal(
                        TransferError.PreconditionFailed, $"'{target.Name}' has no lock with this token.", target.Name.Value)
                    {
                        Status = StatusCodes.Status409Conflict,
                        DavCondition = "lock-token-matches-request-uri",
                    };
                if (held.Caller != pass.Owner)
                {
                    throw new TransferException(
                        TransferError.Forbidden, $"The lock of '{target.Name}' was taken with another token of this server, and ends with that or by itself.", target.Name.Value);
                }

                return locks.All.Where(one => one != held);
            },
            context.RequestAborted);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    /// <returns>The key is null for a write lock, and empty for a sync without one.</returns>
    private static (bool IsShared, string? SyncKey, string? Owner) ReadInfo(XmlReader reader)
    {
        bool? isShared = null;
        bool isWrite = false;
        string? syncKey = null;
        string? owner = null;
        DavDocument.ForEachChild(reader, child =>
        {
            if (DavDocument.Is(child, "lockscope"))
            {
                DavDocument.ForEachChild(child, scope => isShared =
                    DavDocument.Is(scope, "shared") ? true : DavDocument.Is(scope, "exclusive") ? false : isShared);
            }
            else if (DavDocument.Is(child, "locktype"))
            {
                DavDocument.ForEachChild(child, type =>
                {
                    isWrite |= DavDocument.Is(type, "write");
                    if (type is { LocalName: SyncLockName.Element, NamespaceURI: SyncLockName.Namespace })
                    {
                        syncKey = type.GetAttribute(SyncLockName.Key) ?? "";
                    }
                });
            }
            else if (DavDocument.Is(child, "owner"))
            {
                owner = DavDocument.ReadElement(child);
            }
        });
        // It is only for people to read.
        return isShared is { } known && isWrite == syncKey is null && syncKey?.Length is not > SyncLockName.MaxKeyLength
            ? (known, syncKey, owner?.Length > MaxOwnerLength ? null : owner)
            : throw Errors.Invalid("A lockinfo has the lockscope exclusive or shared, and the locktype write.");
    }

    private static TimeSpan ReadTimeout(HttpRequest request)
    {
        foreach (string one in request.Headers["Timeout"].ToString().Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            if (one.Equals("Infinite", StringComparison.OrdinalIgnoreCase))
            {
                return MaxTimeout;
            }

            if (one.StartsWith("Second-", StringComparison.OrdinalIgnoreCase)
                && ulong.TryParse(one.AsSpan("Second-".Length), NumberStyles.None, CultureInfo.InvariantCulture, out ulong seconds))
            {
                return TimeSpan.FromSeconds(Math.Clamp(seconds, 1, (ulong)MaxTimeout.TotalSeconds));
            }
        }

        return DefaultTimeout;
    }

    /// <summary>Adds a lock, unless another one excludes it.</summary>
    private static WriteLock[] Grant(WriteLocks.Index locks, WriteLock taken, TransferPass pass)
    {
        DateTimeOffset now = pass.Now;
        IEnumerable<WriteLock> near = taken.IsForSync ? locks.SyncOf(taken.Name) : locks.Covering(taken.Root);
        near = taken.IsDeep ? near.Concat(locks.Below(taken.Root)) : near;
        foreach (WriteLock other in near)
        {
            if (other.Expires > now && (!other.IsShared || !taken.IsShared) && !IsTakenOver(other))
            {
                if (taken.IsForSync)
                {
                    throw SyncRuns(other, now);
                }

                throw new Refusal(
                    TransferError.PreconditionFailed, $"'{taken.Name}' or something in it is locked already. Try again when that lock ends.", taken.Name)
                {
                    Status = StatusCodes.Status423Locked,
                    DavCondition = "no-conflicting-lock",
                };
            }
        }

        WriteLock[] rest = [.. locks.All.Where(one => (one.Expires > now || one.MadeTag is not null) && !IsTakenOver(one))];
        if (rest.Length >= WriteLocks.MaxLocks || rest.Count(one => one.Caller == pass.Owner) >= WriteLocks.MaxLocksPerCaller)
        {
            throw WriteLocks.TooMany();
        }

        // The empty file of a lock that has just expired is now this one's.
        return taken is { MadeTag: null, IsForSync: false } && rest.FirstOrDefault(one => one.Expires <= now && one.Name == taken.Name) is { } before
            ? [.. rest.Where(one => one != before), taken with { MadeTag = before.MadeTag, MadeTime = before.MadeTime }]
            : [.. rest, taken];

        bool IsTakenOver(WriteLock one) => one is { IsForSync: true, SyncKey.Length: > 0 }
            && one.SyncKey == taken.SyncKey && one.Name == taken.Name && one.Caller == taken.Caller;
    }

    /// <summary>
    /// Ends a lock that may have been granted, and deletes its empty file, unless another caller has found the file and locked it in between: then
    /// the file is that lock's.
    /// </summary>
    private async ValueTask GiveUpAsync(TransferPass pass, WriteLock taken)
    {
        bool isPassedOn = false;
        await pass.State!.Locks.ChangeAsync(
            locks =>
            {
                WriteLock? own = locks.All.FirstOrDefault(one => one.Token == taken.Token);
                taken = own ?? taken;
                WriteLock? other = taken.MadeTag is null
                    ? null
                    : locks.At(taken.Name).FirstOrDefault(one => one.Expires > pass.Now && one.MadeTag is null);
                isPassedOn = other is not null;
                return (own ?? other) is null
                    ? null
                    : locks.All.Where(one => one != own)
                        .Select(one => one == other ? one with { MadeTag = taken.MadeTag, MadeTime = taken.MadeTime } : one);
            },
            CancellationToken.None);
        if (!isPassedOn && taken.MadeTag is not null)
        {
            await pass.State.TryDeleteAsync(store, taken);
        }
    }

    private static Refusal SyncRuns(WriteLock held, DateTimeOffset now)
    {
        TimeSpan rest = held.Expires - now;
        return new Refusal(
            TransferError.PreconditionFailed,
            $"Another sync into '{(held.Name.Length == 0 ? "/" : held.Name)}' is running{(held.Holder is { Length: > 0 } who ? $" ({who})" : "")}. "
            + Invariant($"If it has been killed, its lock ends in {Math.Ceiling(rest.TotalSeconds)} s."),
            held.Name)
        {
            Status = StatusCodes.Status423Locked,
            DavCondition = "no-conflicting-lock",
            RetryAfter = rest,
        };
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    /// <summary>Reserves an unused name with an empty file (section 7.3).</summary>
    private static async ValueTask<(bool IsFolder, StoredFile? Made)> FindOrMakeAsync(HttpContext context, TransferPass pass, FileTarget target)
    {
        CancellationToken aborted = context.RequestAborted;
        for (int i = 1; ; i++)
        {
            StoredFile? file = target.Name.IsRoot ? null : await pass.Store.FindAsync(target.Name, DigestNeed.IfKnown, aborted);
            WriteConditions.Read(context.Request, target.Name, file);
            if (file is not null)
            {
                return target.IsFolder ? throw Errors.NoFolder(target.Name) : (false, null);
            }

            if (await pass.Store.FolderExistsAsync(target.Name, aborted))
            {
                return (true, null);
            }

            if (target.IsFolder)
            {
                throw Errors.NoFolder(target.Name);
            }

            if (!target.Name.Folder.IsRoot && !await pass.Store.FolderExistsAsync(target.Name.Folder, aborted))
            {
                throw Errors.NoFolderFor(target.Name);
            }

            try
            {
                return (false, await MakeAsync(pass, target.Name, aborted));
            }
            catch (TransferException exception) when (exception.Error == TransferError.AlreadyExists && i < MaxTries)
            {
                // Another caller has made it meanwhile, and may have locked it.
            }
        }
    }

    private static async ValueTask<StoredFile> MakeAsync(TransferPass pass, TransferName name, CancellationToken cancellationToken)
    {
        var precondition = new WritePrecondition { CreateNew = true };
        await using StoredFileWriter writer = await StoreConflict.AskAsync(
            pass.Store.CreateAsync(
                name, new CreateFileOptions { Precondition = precondition, Length = 0, Modified = pass.Now }, cancellationToken),
            precondition);
        using TransferPass.Change change = await pass.BeginAsync(name, LockUse.Membership, cancellationToken);
        return await StoreConflict.AskAsync(writer.CommitAsync(null, cancellationToken), precondition);
    }

    private static async Task RefreshAsync(HttpContext context, TransferPass pass, FileTarget target)
    {
        TimeSpan timeout = ReadTimeout(context.Request);
        WriteLock? refreshed = null;
        await pass.State!.Locks.ChangeAsync(
            locks =>
            {
                WriteLock held = locks.About(target.Name)
                    .FirstOrDefault(one => pass.LockTokens.Contains(one.Token) && one.Expires > pass.Now && one.Caller == pass.Owner)
                    ?? throw new TransferException(
                        TransferError.PreconditionFailed,
                        $"A LOCK without a body refreshes the lock that the field If names, and '{target.Name}' has none of that name. Lock it again.",
                        target.Name.Value);
                refreshed = held with { Seconds = (long)timeout.TotalSeconds, Expires = pass.Now + timeout };
                return locks.All.Select(one => one == held ? refreshed : one);
            },
            context.RequestAborted);
        await SendAsync(context, [refreshed!], pass.Now);
    }

    private static Task SendAsync(HttpContext context, IEnumerable<WriteLock> locks, DateTimeOffset now)
    {
        DavWriter xml = DavAnswer.Begin("<D:prop xmlns:D=\"DAV:\"><D:lockdiscovery>"u8);
        PropertyWriter.WriteLocks(xml, FileTarget.HrefPrefixOf(context), locks, now);
        xml.Raw("</D:lockdiscovery></D:prop>"u8);
        return DavAnswer.SendAsync(context, xml);
    }
}
