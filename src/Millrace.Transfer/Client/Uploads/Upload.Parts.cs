namespace Millrace.Transfer;

/// <summary>Uploads over several connections: parts that the server joins.</summary>
internal sealed partial class Upload
{
    /// <summary>Bytes of parts that a server joins and hashes in a second at least: it sends nothing meanwhile.</summary>
    private const double MinJoined = 20_000_000;

    private UploadParts? _parts;
    private UploadWatch? _rule;
    private bool _partsRefused;
    private int _partAttempts;

    /// <summary>Whether several connections may become worth it. On a short way nobody is asked anything for that.</summary>
    /// <param name="roundTrip">How long the answer took that told where the upload is.</param>
    /// <param name="offset">How far it is.</param>
    /// <param name="watch">Ends it.</param>
    private async ValueTask<UploadWatch?> WatchAsync(TimeSpan roundTrip, long offset, IdleWatch watch)
    {
        if (_partsRefused || _context.Parts is null || roundTrip < RangeRule.MinRoundTrip
            || _source.Length is not { } length || length - offset < 2 * RangeRule.MinBytes || !_source.CanFork)
        {
            return null;
        }

        // A disk that was slow to begin an upload, or a new connection, is no long way.
        long asked = _context.Clock.GetTimestamp();
        await Protocol.PositionAsync(_name, _upload!, watch).ConfigureAwait(false);
        roundTrip = _context.Clock.GetElapsedTime(asked);
        return roundTrip < RangeRule.MinRoundTrip ? null : new UploadWatch(_context.Clock, roundTrip, length);
    }

    /// <summary>Sends what one connection had begun in parts, by several.</summary>
    private async ValueTask<TransferResult> DivideAsync(IdleWatch watch)
    {
        watch.Pause();

        // Its bytes would count twice against what the server has room for.
        await DeleteAsync().ConfigureAwait(false);
        _upload = null;
        _mayBePublished = false;
        _parts = UploadParts.Of(_source.Length!.Value, _context.Options.MaxConnections);
        _record?.Save(_parts);
        return await PutPartsAsync(watch).ConfigureAwait(false);
    }

    private async ValueTask<TransferResult> PutPartsAsync(IdleWatch watch)
    {
        watch.Pause();
        try
        {
            await SendPartsAsync(watch.Caller).ConfigureAwait(false);
            return await JoinPartsAsync(watch.Caller).ConfigureAwait(false);
        }
        catch (TransferException exception) when (exception.IsTransient)
        {
            // It was tried often enough.
            throw exception.AsFinal();
        }
        catch (TransferException exception) when (MayHelpToSendWhole(exception))
        {
            await DeletePartsAsync().ConfigureAwait(false);
            _record?.Remove();
            if (exception.Error == TransferError.DigestMismatch)
            {
                throw;
            }

            _partsRefused = true;
            throw Transient(exception, "It begins anew over one connection.");
        }
    }

    /// <summary>
    /// Whether the server may take the file as one although it does not take its parts: it has no room for both at once,
    /// forgot a part, or something between knows nothing of parts.
    /// </summary>
    private static bool MayHelpToSendWhole(TransferException exception) =>
        exception.Status is (>= 400 and < 500) or 501 or 507
        && exception.Error is not (TransferError.Unauthorized or TransferError.AlreadyExists or TransferError.PreconditionFailed);

    private async Task SendPartsAsync(CancellationToken cancellationToken)
    {
        UploadParts parts = _parts!;
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        int senders = Math.Min(_context.Options.MaxConnections, parts.All.Count);
        var tasks = new Task[senders + 1];
        for (int i = 0; i < senders; i++)
        {
            parts.Enter();
        }

        for (int i = 0; i < senders; i++)
        {
            tasks[i] = OrStopAsync(SendAllAsync, stop);
        }

        // Parts that go in any order are hashed by another reader, beside them.
        tasks[senders] = OrStopAsync(HashWholeAsync, stop);
        await Task.WhenAll(tasks).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        parts.Release();
        cancellationToken.ThrowIfCancellationRequested();

        // The one that failed first canceled the others.
        Task? failed = tasks.FirstOrDefault(task => task.IsFaulted) ?? tasks.FirstOrDefault(task => task.IsCanceled);
        await (failed ?? Task.CompletedTask).ConfigureAwait(false);
    }

    private async Task OrStopAsync(Func<ContentSource, CancellationToken, Task> work, CancellationTokenSource stop)
    {
        // What opens and reads a file does so on the thread that calls.
        await Task.Yield();
        try
        {
            ContentSource source = _source.Fork();
            await using (source.ConfigureAwait(false))
            {
                await work(source, stop.Token).ConfigureAwait(false);
            }
        }
        catch (TransferException exception)
        {
            await stop.CancelAsync().ConfigureAwait(false);

            // It was tried often enough.
            throw exception.IsTransient ? exception.AsFinal() : exception;
        }
        catch
        {
            await stop.CancelAsync().ConfigureAwait(false);
            throw;
        }
    }

    private async Task HashWholeAsync(ContentSource source, CancellationToken cancellationToken)
    {
        if (Following is { } hash)
        {
            await hash.CatchUpAsync(source, source.Length!.Value, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task SendAllAsync(ContentSource source, CancellationToken cancellationToken)
    {
        UploadParts parts = _parts!;
        while (parts.Take() is { } part)
        {
            var content = new PartSource(source, part.Offset, part.Length);
            var meter = new PartMeter(parts, _meter);
            bool goesOn = await _context.Retry.RunAsync(
                (state, token) => SendPartAsync(part, content, meter, state, token), cancellationToken).ConfigureAwait(false);
            if (!goesOn)
            {
                return;
            }
        }
    }

    /// <returns>False when the server wants fewer connections, and others go on.</returns>
    private async ValueTask<bool> SendPartAsync(
        UploadPart part, PartSource content, PartMeter meter, RetryState state, CancellationToken cancellationToken)
    {
        TusProtocolClient protocol = _context.Parts!;
        using IdleWatch watch = _context.Watch(cancellationToken);
        if (state.Attempts > 1)
        {
            _meter.Attempt = _state.Attempts + Interlocked.Increment(ref _partAttempts);
        }

        try
        {
            long offset = await BeginPartAsync(part, watch).ConfigureAwait(false);
            while (true)
            {
                meter.Report(offset);
                state.Reached(offset);
                if (offset == part.Length)
                {
                    return true;
                }

                var outgoing = new Outgoing(
                    content, offset, part.Length - offset, long.MaxValue, hash: null, meter, watch);
                try
                {
                    part.AskFirst = true;
                    UploadAnswer answer = await protocol.AppendAsync(
                        _name, part.Upload!, outgoing, part.Length, isLast: false, partDigest: null, watch).ConfigureAwait(false);
                    offset = answer.Offset!.Value;
                }
                finally
                {
                    Interlocked.Add(ref _sent, outgoing.Begun);
                }
            }
        }
        catch (TransferException exception)
            when (exception.Error == TransferError.TooManyTransfers && _parts!.TryLeave(part))
        {
            meter.Report(0);
            return false;
        }
    }

    /// <returns>How far the server is with it.</returns>
    private async ValueTask<long> BeginPartAsync(UploadPart part, IdleWatch watch)
    {
        TusProtocolClient protocol = _context.Parts!;
        if (part is { AskFirst: true, Upload: { } upload })
        {
            if (await protocol.PositionAsync(_name, upload, watch).ConfigureAwait(false) is { } position)
            {
                return position.Offset;
            }

            part.Upload = null;
        }

        if (part.Upload is null)
        {
            // An upload whose address nobody learns could not be thrown away: canceled, the answer is waited for.
            using var patience = new CancellationTokenSource();
            using CancellationTokenRegistration _ = watch.Caller.UnsafeRegister(
                static source => ((CancellationTokenSource)source!).CancelAfter(GiveUpTime), patience);
            using IdleWatch patient = _context.Watch(patience.Token);
            part.Upload = await protocol.StartPartAsync(_name, part.Length, patient).ConfigureAwait(false);
            _record?.Save(_parts!);
            watch.Caller.ThrowIfCancellationRequested();
        }

        return 0;
    }

    private async ValueTask<TransferResult> JoinPartsAsync(CancellationToken cancellationToken)
    {
        long length = _source.Length!.Value;
        _source.ThrowIfChanged();
        Sha256Digest? digest = Verify ? await FinishHashAsync().ConfigureAwait(false) : null;
        _mayBePublished = true;
        return await _context.Retry.RunAsync(
            async (_, token) =>
            {
                using var watch = new IdleWatch(
                    _context.Options.IdleTimeout + TimeSpan.FromSeconds(length / MinJoined), _context.Clock, token);
                UploadAnswer answer = await _context.Parts!.JoinAsync(
                    _name, _parts!.All.Select(part => part.Upload!), _precondition, digest, watch).ConfigureAwait(false);
                return await ConfirmAsync(answer, length, digest, watch).ConfigureAwait(false);
            },
            cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Throws away what is joined, or will not be: the server keeps parts until they expire.</summary>
    private async ValueTask DeletePartsAsync()
    {
        if (_parts is not { } parts)
        {
            return;
        }

        _parts = null;
        using var bound = new CancellationTokenSource(GiveUpTime);
        await Parallel.ForEachAsync(
            parts.All.Where(part => part.Upload is not null),
            new ParallelOptions { MaxDegreeOfParallelism = _context.Options.MaxConnections },
            async (part, _) => await AbortAsync(_context.Parts!, part.Upload!, bound.Token).ConfigureAwait(false))
            .ConfigureAwait(false);
    }
}
