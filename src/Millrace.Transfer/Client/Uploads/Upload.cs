namespace Millrace.Transfer;

/// <summary>
/// One file on its way to the server, over all attempts. It knows the source and the server's offset; the form of a request
/// is up to the <see cref="Protocol"/>, which takes its bytes from <see cref="Send"/>.
/// </summary>
internal sealed class Upload : IDisposable
{
    /// <summary>Up to how many bytes one request brings all of it.</summary>
    /// <remarks>A round trip saved is worth more than what would have to be sent again.</remarks>
    public const long WholeBytes = 256 * 1024;

    /// <summary>How long deleting an upload may take.</summary>
    public static readonly TimeSpan AbortTime = TimeSpan.FromSeconds(2);

    private readonly TransferContext _context;
    private readonly bool _byLink;
    private readonly RetryState _state = new();
    private UploadWatch? _rule;
    private DividedUpload? _divided;
    private bool _mayDivide;
    private bool _mayBePublished;
    private bool _isRecorded;
    private bool _isWhole;
    private bool _wasDamaged;

    /// <summary>Describes an upload. The source stays the caller's; without a record no other process can resume it.</summary>
    public Upload(
        TransferContext context, TransferName name, ContentSource source, PutOptions options,
        ProgressMeter meter, UploadRecord? record, DeltaUpload? delta = null)
    {
        _context = context;
        _byLink = context.Options.Link?.Name == name;
        _mayDivide = context.Parts is not null && delta is null;
        Name = name;
        Source = source;
        Delta = delta;
        Precondition = delta?.Tag is not { } tag ? options.Precondition : options.Precondition with { MustExist = false, Match = [tag] };
        Modified = options.NoTimes ? null : options.Modified;
        IsExecutable = options.IsExecutable;
        Meter = meter;
        Record = record;
        Hash = context.Options.VerifyDigests && delta is null ? new SourceHash() : null;
    }

    public TransferName Name { get; }

    public ContentSource Source { get; }

    public WritePrecondition Precondition { get; }

    /// <summary>When the content was last changed; null if it is not sent.</summary>
    public FileTime? Modified { get; }

    /// <summary>Whether its owner may run it; null if that is not sent.</summary>
    public bool? IsExecutable { get; }

    public ProgressMeter Meter { get; }

    public UploadRecord? Record { get; }

    public SourceHash? Hash { get; }

    /// <summary>The delta to send instead of the source's bytes; null for those.</summary>
    public DeltaUpload? Delta { get; }

    /// <summary>Whether a request of which no answer came may have published it before.</summary>
    public bool WasSentBefore { get; init; }

    /// <summary>Whether digests are compared.</summary>
    public bool Verifies => Hash is not null || Delta is not null;

    /// <summary>Where it is continued; null before it is begun.</summary>
    public Uri? Location { get; private set; }

    /// <summary>The length declared at the beginning; null when it was unknown.</summary>
    public long? AnnouncedLength { get; private set; }

    private Protocol Protocol => _context.Protocol;

    public async Task<TransferResult> RunAsync(CancellationToken cancellationToken)
    {
        bool isSmall = await Source.IsWithinAsync(Math.Min(WholeBytes, _context.Sizes.Max), cancellationToken).ConfigureAwait(false);
        _isWhole = _byLink || Protocol.SendsWhole(isSmall);
        Meter.Total = Source.Length;
        Meter.Report(0);
        try
        {
            TransferResult result = await _context.Retry.RunAsync(
                (_, token) => AttemptAsync(isSmall, token), cancellationToken, _state).ConfigureAwait(false);
            await DeletePartsAsync().ConfigureAwait(false);
            return result;
        }
        catch (Exception) when (Record is null)
        {
            await DeleteAsync().ConfigureAwait(false);
            await DeletePartsAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>The whole source as the body of one request.</summary>
    public Outgoing SendWhole(IdleWatch watch) => new(Source, 0, Source.Length, long.MaxValue, Meter, watch) { Hash = Hash };

    /// <summary>The source's next bytes as the body of a request; no more than it may bring, and the source can go back over.</summary>
    /// <param name="offset">Where they begin.</param>
    /// <param name="max">The most that the protocol has in one request.</param>
    /// <param name="watch">Ends a write that takes too long.</param>
    /// <param name="percent">The part of a request's body that is the file's: the rest is the protocol's.</param>
    public Outgoing Send(long offset, long max, IdleWatch watch, int percent = 100)
    {
        long most = _context.Sizes.Max;
        most = percent == 100 ? most : Math.Max(1, most / 100 * percent);
        if (Delta is not null)
        {
            DeltaSource delta = Delta.Next(Source, offset, Math.Min(max, most));
            _mayBePublished |= delta.End == Source.Length;
            return new Outgoing(delta, offset, delta.Bytes, long.MaxValue, new DeltaMeter(Meter, delta), watch) { MadeTo = delta.End, MaxBytes = most };
        }

        max = Math.Min(Math.Min(max, most), Source.MaxFrom(offset));
        long? count = Source.Length is { } length ? Math.Min(max, length - offset) : null;
        _mayBePublished |= AnnouncedLength is { } whole && offset + count == whole;
        return new Outgoing(Source, offset, count, max, Meter, watch) { Hash = Hash, Rule = _rule, MaxBytes = most };
    }

    /// <summary>The digest of the whole; null where digests are off.</summary>
    public async ValueTask<Sha256Digest?> DigestAsync(long length, IdleWatch watch) =>
        Delta?.Sha256 ?? (Hash is null ? null : await Hash.FinishAsync(Source, length, watch).ConfigureAwait(false));

    /// <summary>Sends the request that begins an upload, or a part.</summary>
    /// <param name="start">Sends it.</param>
    /// <param name="watch">An upload of unknown address could not be deleted: if the caller cancels, the response is waited for.</param>
    public async ValueTask<T> BeginAsync<T>(Func<IdleWatch, Task<T>> start, IdleWatch watch)
    {
        watch.Caller.ThrowIfCancellationRequested();
        watch.Pause();
        using var patience = new CancellationTokenSource(Timeout.InfiniteTimeSpan, _context.Clock);
        using CancellationTokenRegistration _ = watch.Caller.UnsafeRegister(
            static source => ((CancellationTokenSource)source!).CancelAfter(AbortTime), patience);
        using IdleWatch patient = _context.Watch(patience.Token);
        try
        {
            return await start(patient).ConfigureAwait(false);
        }
        finally
        {
            watch.Touch();
        }
    }

    /// <summary>Deletes the upload that a delta has begun, because the server cannot make the file of it.</summary>
    public ValueTask AbandonAsync()
    {
        Record?.Remove();
        return DeleteAsync();
    }

    /// <summary>Deletes an upload, or a part. Best effort, as the server expires abandoned uploads.</summary>
    public async ValueTask AbortAsync(Protocol protocol, Uri location, CancellationToken cancellationToken)
    {
        try
        {
            using IdleWatch watch = _context.Watch(cancellationToken);
            await protocol.AbortAsync(Name, location, watch).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is TransferException or OperationCanceledException or HttpRequestException)
        {
        }
    }

    public void Dispose() => Hash?.Dispose();

    private async ValueTask<TransferResult> AttemptAsync(bool isSmall, CancellationToken cancellationToken)
    {
        using IdleWatch watch = _context.Watch(cancellationToken);
        if (_state.Attempts > 1)
        {
            Meter.Retry();
        }

        try
        {
            if (_isWhole)
            {
                return await PutWholeAsync(isSmall, watch).ConfigureAwait(false);
            }

            FindRecorded();
            return _divided is null
                ? await ContinueAsync(isSmall, watch).ConfigureAwait(false)
                : await PutPartsAsync(_divided, watch).ConfigureAwait(false);
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound && Location is not null && TryRestart())
        {
            throw exception.AsTransient("The server does not know the upload any more; it starts over.");
        }
        catch (TransferException exception) when (
            exception is { Error: TransferError.DigestMismatch, Status: not null } && !_wasDamaged && TryRestart())
        {
            _wasDamaged = true;
            Hash?.Reset();
            throw exception.AsTransient("The server received damaged bytes; they are sent once more.");
        }
        catch (TransferException exception) when (
            exception.Error is TransferError.AlreadyExists or TransferError.PreconditionFailed && _mayBePublished)
        {
            // The response to an earlier attempt may have been lost: the server's file may be this one.
            if (await FindPublishedAsync(watch).ConfigureAwait(false) is { } published)
            {
                return published;
            }

            if (_isRecorded && TryRestart())
            {
                // An earlier process has begun it for a version that was there then.
                throw exception.AsTransient("The upload that an earlier run began is for another version of the file; it starts over.");
            }

            throw;
        }
    }

    private async ValueTask<TransferResult> PutWholeAsync(bool isSmall, IdleWatch watch)
    {
        _mayBePublished = WasSentBefore || _state.Attempts > 1;
        Sha256Digest? digest = isSmall ? await DigestAsync(Source.Length!.Value, watch).ConfigureAwait(false) : null;
        UploadAnswer answer = await Protocol.PutAsync(this, digest, watch).ConfigureAwait(false);
        Source.ThrowIfChanged();
        return await ConfirmAsync(answer, watch).ConfigureAwait(false);
    }

    /// <summary>Begins an upload, or continues one where the server is.</summary>
    private async ValueTask<TransferResult> ContinueAsync(bool isSmall, IdleWatch watch)
    {
        long offset = 0;
        long asked = _context.Clock.GetTimestamp();
        if (Location is not null)
        {
            UploadAnswer? position = await Protocol.PositionAsync(Name, Location, watch).ConfigureAwait(false);
            if (position is { IsComplete: true } published && !_isRecorded)
            {
                return await ConfirmAsync(published, watch).ConfigureAwait(false);
            }

            if (position is null or { IsComplete: true })
            {
                // An earlier process' upload may be gone, or be another file by now, whatever the server reports about it.
                position = null;
                if (_mayBePublished && await FindPublishedAsync(watch).ConfigureAwait(false) is { } found)
                {
                    return found;
                }

                TryRestart();
            }

            offset = position?.Offset ?? 0;
        }

        if (Location is null)
        {
            _mayBePublished = false;
            AnnouncedLength = Source.Length;
            asked = _context.Clock.GetTimestamp();
            Location = await BeginAsync(patient => Protocol.StartAsync(this, patient), watch).ConfigureAwait(false);
            if (Location is null)
            {
                return await PutWholeAsync(isSmall, watch).ConfigureAwait(false);
            }

            Record?.Save(Location);
        }

        _rule = await WatchAsync(_context.Clock.GetElapsedTime(asked), offset, watch).ConfigureAwait(false);
        try
        {
            return await SendAllAsync(offset, watch).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (_rule is { IsMet: true } && !watch.Caller.IsCancellationRequested)
        {
            return await DivideAsync(watch).ConfigureAwait(false);
        }
    }

    private async ValueTask<TransferResult> SendAllAsync(long offset, IdleWatch watch)
    {
        Acknowledge(offset);
        while (offset != Source.Length)
        {
            if (Hash is not null)
            {
                // Bytes that an earlier process sent are read for the digest.
                watch.Pause();
                await Hash.CatchUpAsync(Source, offset, watch.Token).ConfigureAwait(false);
            }

            UploadAnswer answer = await Protocol.SendNextAsync(this, offset, watch).ConfigureAwait(false);
            offset = answer.Offset;
            Acknowledge(offset);
            if (answer.IsComplete)
            {
                return await ConfirmAsync(answer, watch).ConfigureAwait(false);
            }
        }

        Source.ThrowIfChanged();
        Sha256Digest? digest = await DigestAsync(offset, watch).ConfigureAwait(false);
        _mayBePublished = true;
        return await ConfirmAsync(
            await Protocol.FinishAsync(this, offset, digest, watch).ConfigureAwait(false), watch).ConfigureAwait(false);
    }

    /// <summary>Decides whether several connections may become worth it. On a short route the server is not asked for that.</summary>
    private async ValueTask<UploadWatch?> WatchAsync(TimeSpan roundTrip, long offset, IdleWatch watch)
    {
        if (!_mayDivide || roundTrip < RangeRule.MinRoundTrip || !Source.CanFork
            || Source.Length is not { } length || length - offset < 2 * RangeRule.MinBytes)
        {
            return null;
        }

        // A disk that was slow to begin an upload, or a new connection, does not make a long route; nor does a busy machine at this moment.
        long asked = _context.Clock.GetTimestamp();
        await Protocol.PositionAsync(Name, Location!, watch).ConfigureAwait(false);
        TimeSpan again = _context.Clock.GetElapsedTime(asked);
        roundTrip = again < roundTrip ? again : roundTrip;
        return roundTrip < RangeRule.MinRoundTrip ? null : new UploadWatch(_context.Clock, roundTrip, length);
    }

    /// <summary>Continues in parts the upload that one connection began.</summary>
    private async ValueTask<TransferResult> DivideAsync(IdleWatch watch)
    {
        // The bytes of the first upload would count twice against the space that the server has.
        watch.Pause();
        await DeleteAsync().ConfigureAwait(false);
        _divided = new DividedUpload(_context, this, UploadParts.Of(Source.Length!.Value, _context.Options.MaxConnections));
        Record?.Save(_divided.Parts);
        return await PutPartsAsync(_divided, watch).ConfigureAwait(false);
    }

    private async ValueTask<TransferResult> PutPartsAsync(DividedUpload divided, IdleWatch watch)
    {
        watch.Pause();
        _mayBePublished = true;
        UploadAnswer answer;
        try
        {
            answer = await divided.RunAsync(watch.Caller).ConfigureAwait(false);
        }
        catch (TransferException exception) when (DividedUpload.MayHelpToSendWhole(exception))
        {
            await DeletePartsAsync().ConfigureAwait(false);
            Record?.Remove();
            if (exception.Error == TransferError.DigestMismatch)
            {
                throw;
            }

            _mayDivide = false;
            throw exception.AsTransient("The upload starts over with one connection.");
        }

        return await ConfirmAsync(answer, watch).ConfigureAwait(false);
    }

    /// <summary>Compares the published file with the source.</summary>
    private async ValueTask<TransferResult> ConfirmAsync(UploadAnswer answer, IdleWatch watch)
    {
        var call = new ProtocolCall("Uploading", Name.Value, Protocol.Kind);
        long length = answer.Offset;
        if (!answer.IsComplete || (Source.Length ?? length) != length)
        {
            throw Failures.Protocol(
                call,
                $"the server has {length} of {Source.Length ?? length} bytes and answers that they are {(answer.IsComplete ? "all" : "not all")}");
        }

        Sha256Digest? digest = await DigestAsync(length, watch).ConfigureAwait(false);
        EntityTag? tag = answer.Tag;
        Sha256Digest? published = answer.Sha256;
        long there = length;
        if (!_byLink && (tag is null || (Verifies && published is null)))
        {
            StoredFile stored = await Protocol.FindAsync(Name, Verifies, watch).ConfigureAwait(false) ?? throw Failures.Make(
                TransferError.Failed,
                call,
                "the server received all of it, but has no such file now. It was deleted meanwhile, or it was not published; "
                + "upload it again.");
            tag ??= stored.Tag is { Value.Length: > 0 } known ? known : null;
            published ??= stored.Sha256;
            there = stored.Length;
        }

        if (there != length || (digest is not null && published is not null && digest != published))
        {
            throw Failures.Different(
                call, there != length ? $"it has {there} bytes there and {length} here. " : $"its SHA-256 is {published} there and {digest} here. ");
        }

        if (!_isWhole)
        {
            Record?.Remove();
        }

        Meter.Total = length;
        Meter.Report(length, last: true);
        return new TransferResult(
            Name, length, tag, published is null ? null : digest, Protocol.Kind, Meter.Moved, Meter.Attempts)
        {
            BytesReused = Delta?.Plan.CopiedBytes ?? 0,
        };
    }

    /// <summary>Checks whether the file is there as it was sent, although no response confirmed it.</summary>
    private async ValueTask<TransferResult?> FindPublishedAsync(IdleWatch watch)
    {
        // A link allows to write the file, not to look at it.
        if (_byLink || !Verifies || Source.Length is not { } length)
        {
            return null;
        }

        Sha256Digest? digest = await DigestAsync(length, watch).ConfigureAwait(false);
        StoredFile? stored = await Protocol.FindAsync(Name, digest: true, watch).ConfigureAwait(false);
        return stored is not null && stored.Length == length && stored.Sha256 == digest
            ? await ConfirmAsync(new UploadAnswer(length, IsComplete: true, stored.Tag, stored.Sha256), watch).ConfigureAwait(false)
            : null;
    }

    private void Acknowledge(long offset)
    {
        Source.Acknowledge(offset);
        _state.Reached(offset);
        Meter.Report(offset);
    }

    /// <summary>Looks for the upload that an earlier process began.</summary>
    private void FindRecorded()
    {
        if (Location is not null || _divided is not null || Record is null)
        {
            return;
        }

        if (_context.Parts is not null && Record.FindParts() is { } parts)
        {
            _divided = new DividedUpload(_context, this, parts);
        }
        else if ((Delta is null || Protocol.Kind != TransferProtocol.Tus) && Record.Find() is { } location)
        {
            // tus publishes with the last byte, so that a delta's digest has to be there from the beginning.
            Location = location;
            AnnouncedLength = Source.Length;
            _mayBePublished = true;
            _isRecorded = true;
        }
    }

    /// <summary>Forgets the upload, so that another one is begun.</summary>
    /// <returns>Whether that can be: the source goes back to its beginning.</returns>
    private bool TryRestart()
    {
        if (!Source.CanSeek(0))
        {
            return false;
        }

        Location = null;
        _isRecorded = false;
        Record?.Remove();
        return true;
    }

    private async ValueTask DeleteAsync()
    {
        if (Location is { } location)
        {
            Location = null;
            using var bound = new CancellationTokenSource(AbortTime, _context.Clock);
            await AbortAsync(Protocol, location, bound.Token).ConfigureAwait(false);
        }
    }

    private async ValueTask DeletePartsAsync()
    {
        if (_divided is { } divided)
        {
            _divided = null;
            await divided.DeleteAsync().ConfigureAwait(false);
        }
    }
}
