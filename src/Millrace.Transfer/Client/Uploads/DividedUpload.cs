namespace Millrace.Transfer;

/// <summary>An upload over several connections: parts that the server joins.</summary>
internal sealed class DividedUpload(TransferContext context, Upload upload, UploadParts parts)
{
    /// <summary>Bytes of parts that a server joins and hashes in a second at least: it sends nothing meanwhile.</summary>
    private const double MinJoined = 20_000_000;

    private readonly TusProtocolClient _protocol = context.Parts!;

    public UploadParts Parts => parts;

    /// <summary>
    /// Whether the server may take the file as one although it does not take its parts: it has no room for both at once,
    /// forgot a part, or something between knows nothing of parts.
    /// </summary>
    public static bool MayHelpToSendWhole(TransferException exception) =>
        exception.Status is (>= 400 and < 500) or 501 or 507
        && exception.Error is not (TransferError.Unauthorized or TransferError.AlreadyExists or TransferError.PreconditionFailed);

    /// <summary>Sends all parts and joins them. Retries itself.</summary>
    public async Task<UploadAnswer> RunAsync(CancellationToken cancellationToken)
    {
        await SendAsync(cancellationToken).ConfigureAwait(false);
        upload.Source.ThrowIfChanged();
        return await JoinAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Deletes the parts, joined or not: the server keeps them until they expire.</summary>
    public async Task DeleteAsync()
    {
        using var bound = new CancellationTokenSource(Upload.AbortTime, context.Clock);
        await Parallel.ForEachAsync(
            parts.All.Where(part => part.Upload is not null),
            new ParallelOptions { MaxDegreeOfParallelism = context.Options.MaxConnections },
            async (part, _) => await upload.AbortAsync(_protocol, part.Upload!, bound.Token).ConfigureAwait(false))
            .ConfigureAwait(false);
    }

    private async Task SendAsync(CancellationToken cancellationToken)
    {
        int senders = Math.Min(context.Options.MaxConnections, parts.All.Count);
        for (int i = 0; i < senders; i++)
        {
            parts.Enter();
        }

        try
        {
            // Parts that go in any order are hashed by another reader, beside them.
            await ParallelWork.RunAsync(
                Enumerable.Repeat(SendPartsAsync, senders).Append(HashWholeAsync).Select(Forked), cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            parts.Release();
        }
    }

    private Func<CancellationToken, Task> Forked(Func<ContentSource, CancellationToken, Task> work) => async cancellationToken =>
    {
        ContentSource source = upload.Source.Fork();
        await using (source.ConfigureAwait(false))
        {
            await work(source, cancellationToken).ConfigureAwait(false);
        }
    };

    private async Task HashWholeAsync(ContentSource source, CancellationToken cancellationToken)
    {
        if (upload.Hash is { } hash)
        {
            await hash.CatchUpAsync(source, source.Length!.Value, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task SendPartsAsync(ContentSource source, CancellationToken cancellationToken)
    {
        while (parts.Take() is { } part)
        {
            var content = new PartSource(source, part.Offset, part.Length);
            var meter = new PartMeter(parts, upload.Meter);
            bool goesOn = await context.Retry.RunAsync(
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
        using IdleWatch watch = context.Watch(cancellationToken);
        if (state.Attempts > 1)
        {
            upload.Meter.Retry();
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

                part.AskFirst = true;
                long max = context.Sizes.Max;
                var outgoing = new Outgoing(content, offset, Math.Min(part.Length - offset, max), long.MaxValue, meter, watch)
                {
                    MaxBytes = max,
                };
                UploadAnswer answer = await _protocol.AppendAsync(
                    upload.Name, part.Upload!, outgoing, part.Length, digest: null, watch).ConfigureAwait(false);
                offset = answer.Offset;
            }
        }
        catch (TransferException exception) when (exception.Error == TransferError.TooManyTransfers && parts.TryLeave(part))
        {
            meter.Report(0);
            return false;
        }
    }

    /// <returns>How far the server is with it.</returns>
    private async ValueTask<long> BeginPartAsync(UploadPart part, IdleWatch watch)
    {
        if (part is { AskFirst: true, Upload: { } known })
        {
            if (await _protocol.PositionAsync(upload.Name, known, watch).ConfigureAwait(false) is { } position)
            {
                return position.Offset;
            }

            part.Upload = null;
        }

        if (part.Upload is null)
        {
            part.Upload = await upload.BeginAsync(patient => _protocol.StartPartAsync(upload.Name, part.Length, patient), watch).ConfigureAwait(false);
            upload.Record?.Save(parts);
            watch.Caller.ThrowIfCancellationRequested();
        }

        return 0;
    }

    private async ValueTask<UploadAnswer> JoinAsync(CancellationToken cancellationToken)
    {
        long length = upload.Source.Length!.Value;
        TimeSpan timeout = context.Options.IdleTimeout + TimeSpan.FromSeconds(length / MinJoined);
        long started = context.Clock.GetTimestamp();
        while (true)
        {
            try
            {
                return await context.Retry.RunAsync(
                    async (_, token) =>
                    {
                        using var watch = context.Watch(timeout, token);
                        Sha256Digest? digest = await upload.DigestAsync(length, watch).ConfigureAwait(false);
                        return await _protocol.JoinAsync(upload, parts.All.Select(part => part.Upload!), digest, watch).ConfigureAwait(false);
                    },
                    cancellationToken).ConfigureAwait(false);
            }
            catch (TransferException exception) when (exception.Status is 502 or 504 && context.Clock.GetElapsedTime(started) < timeout)
            {
                // A proxy gave up waiting; the server goes on, and the next request finds the same join.
            }
            catch (TransferException exception) when (exception.IsTransient)
            {
                throw exception.AsFinal();
            }
        }
    }
}
