namespace Millrace.Transfer;

/// <summary>One file on its way to the server, over all its tries.</summary>
internal sealed partial class Upload : IDisposable
{
    /// <summary>Up to how many bytes one request brings all of it.</summary>
    /// <remarks>A round trip saved is worth more than what would have to be sent again.</remarks>
    public const long WholeBytes = 256 * 1024;

    private readonly TransferContext _context;
    private readonly TransferName _name;
    private readonly ContentSource _source;
    private readonly WritePrecondition _precondition;
    private readonly ProgressMeter _meter;
    private readonly UploadRecord? _record;
    private readonly SourceHash? _hash;
    private readonly bool _byLink;
    private readonly RetryState _state = new();
    private Outgoing? _outgoing;
    private Sha256Digest? _digest;
    private long _sent;

    /// <summary>Describes an upload.</summary>
    /// <param name="context">What all share.</param>
    /// <param name="name">The file that it becomes.</param>
    /// <param name="source">What it brings; not disposed here.</param>
    /// <param name="precondition">What must be under the name.</param>
    /// <param name="meter">Is told how far it is.</param>
    /// <param name="record">Remembers it for another process; null for nothing of the kind.</param>
    public Upload(
        TransferContext context, TransferName name, ContentSource source, WritePrecondition precondition,
        ProgressMeter meter, UploadRecord? record)
    {
        _context = context;
        _name = name;
        _source = source;
        _precondition = precondition;
        _meter = meter;
        _record = record;
        _byLink = context.Options.Link?.Name == name;
        _hash = context.Options.VerifyDigests ? new SourceHash() : null;
    }

    private Protocol Protocol => _context.Protocol;

    private bool Verify => _hash is not null;

    public async Task<TransferResult> RunAsync(CancellationToken cancellationToken)
    {
        bool small = await IsSmallAsync(cancellationToken).ConfigureAwait(false);
        _meter.Total = _source.Length;
        _meter.Report(0);
        bool whole = _byLink || (small && Protocol.VerifiesWhole);
        try
        {
            TransferResult result = await _context.Retry.RunAsync(
                (_, token) => whole || !Protocol.CanResume ? PutWholeAsync(small, token) : ContinueAsync(token), cancellationToken, _state)
                .ConfigureAwait(false);
            await DeletePartsAsync().ConfigureAwait(false);
            return result;
        }
        catch (Exception) when (_record is null && (_upload is not null || _parts is not null))
        {
            if (_upload is not null)
            {
                await DeleteAsync().ConfigureAwait(false);
            }

            await DeletePartsAsync().ConfigureAwait(false);
            throw;
        }
    }

    public void Dispose() => _hash?.Dispose();

    private async ValueTask<bool> IsSmallAsync(CancellationToken cancellationToken) => _source switch
    {
        { Length: { } length } => length <= WholeBytes,
        RetainingSource retaining => await retaining.PeekAsync(WholeBytes, cancellationToken).ConfigureAwait(false),
        _ => false,
    };

    private async ValueTask<TransferResult> PutWholeAsync(bool small, CancellationToken cancellationToken)
    {
        using IdleWatch watch = _context.Watch(cancellationToken);
        _meter.Attempt = _state.Attempts;
        Sha256Digest? digest = null;
        if (Verify && small)
        {
            watch.Pause();
            await _hash!.CatchUpAsync(_source, _source.Length!.Value, cancellationToken).ConfigureAwait(false);
            digest = await FinishHashAsync().ConfigureAwait(false);
        }

        Outgoing content = Next(new Outgoing(
            _source, 0, _source.Length, long.MaxValue, digest is null ? Following : null, _meter, watch)
        {
            Digest = Verify && digest is null && Protocol.SupportsTrailingDigest ? () => TrailingDigestAsync(watch) : null,
        });
        try
        {
            UploadAnswer answer = await Protocol.PutAsync(_name, content, _precondition, digest, watch).ConfigureAwait(false);
            _source.ThrowIfChanged();
            digest ??= Verify ? await FinishHashAsync().ConfigureAwait(false) : null;
            return await ConfirmAsync(answer, content.Sent, digest, watch).ConfigureAwait(false);
        }
        catch (TransferException exception) when (_state.Attempts > 1 && digest is not null
            && exception.Error is TransferError.AlreadyExists or TransferError.PreconditionFailed)
        {
            // The answer to an earlier try may have been lost: what is there may be what was sent.
            if (await FindPublishedAsync(content.Count!.Value, digest, watch).ConfigureAwait(false) is { } published)
            {
                return published;
            }

            throw;
        }
    }

    private async ValueTask<Sha256Digest?> FinishHashAsync() =>
        _digest ??= await _hash!.FinishAsync().ConfigureAwait(false);

    /// <summary>Compares what the server says it has with what was sent.</summary>
    private async ValueTask<TransferResult> ConfirmAsync(
        UploadAnswer answer, long length, Sha256Digest? digest, IdleWatch watch)
    {
        EntityTag? tag = answer.Tag;
        Sha256Digest? theirs = answer.Sha256;
        if (!_byLink && (tag is null || (Verify && theirs is null)))
        {
            StoredFile? stored = await Protocol.FindAsync(_name, Verify, watch).ConfigureAwait(false);
            if (stored is null)
            {
                throw new TransferException(
                    TransferError.Failed,
                    $"Uploading '{_name}' over {ProtocolNames.Of(Protocol.Kind)}: the server took all of it, and has no such file now. "
                    + "Somebody deleted it meanwhile, or it was not published; upload it again.",
                    _name.Value)
                {
                    Protocol = Protocol.Kind,
                };
            }

            tag ??= stored.Tag is { Value.Length: > 0 } known ? known : null;
            theirs ??= stored.Sha256;
        }

        if (digest is { } mine && theirs is { } other && mine != other)
        {
            throw new TransferException(
                TransferError.DigestMismatch,
                $"'{_name}' was uploaded, and is not what was sent: its SHA-256 is {other} there and {mine} here. "
                + "Somebody replaced it meanwhile, or the source changed; look at it and upload it again.",
                _name.Value)
            {
                Protocol = Protocol.Kind,
            };
        }

        _record?.Remove();
        _meter.Total = length;
        _meter.Report(length, last: true);
        return new TransferResult(
            _name, length, tag, theirs is null ? null : digest, Protocol.Kind, _sent + (_outgoing?.Begun ?? 0),
            _state.Attempts + _partAttempts);
    }

    /// <summary>What goes out next; what went before is added up.</summary>
    private Outgoing Next(Outgoing outgoing)
    {
        _sent += _outgoing?.Begun ?? 0;
        _outgoing = outgoing;
        return outgoing;
    }

    /// <summary>Whether the file is there as it was sent, although no answer said so.</summary>
    private async ValueTask<TransferResult?> FindPublishedAsync(long length, Sha256Digest? digest, IdleWatch watch)
    {
        if (_byLink)
        {
            // It allows to write the file, not to look at it.
            return null;
        }

        StoredFile? stored = await Protocol.FindAsync(_name, digest is not null, watch).ConfigureAwait(false);
        return stored is not null && digest is not null && stored.Length == length && stored.Sha256 == digest
            ? await ConfirmAsync(
                new UploadAnswer(length, Complete: true, stored.Tag, stored.Sha256), length, digest, watch).ConfigureAwait(false)
            : null;
    }
}
