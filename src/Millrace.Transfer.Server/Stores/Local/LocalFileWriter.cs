namespace Millrace.Transfer.Server;

/// <summary>A file that is being written to a <see cref="LocalFileStore"/>.</summary>
internal sealed class LocalFileWriter : StoredFileWriter
{
    private readonly LocalStore _store;
    private readonly LocalPublisher _publisher;
    private readonly TransferName _name;
    private readonly CreateFileOptions _options;
    private readonly StoreFolder _folder;
    private readonly FilePipeWriter _file;
    private readonly LimitedBody _limited;
    private readonly Reservation _reservation;
    private readonly int _exchanges;
    private readonly TrailingDigest? _digest;
    private bool _disposed;

    public LocalFileWriter(
        LocalStore store,
        LocalPublisher publisher,
        TransferName name,
        CreateFileOptions options,
        StoreFolder folder,
        FilePipeWriter file,
        LimitedBody limited,
        Reservation reservation,
        int exchanges)
    {
        _store = store;
        _publisher = publisher;
        _name = name;
        _options = options;
        _folder = folder;
        _file = file;
        _limited = limited;
        _reservation = reservation;
        _exchanges = exchanges;
        if (store.Options.ComputeSha256)
        {
            _digest = new TrailingDigest(store.MaxCachedBytes);
            _digest.Follow(file.Handle, options.Length);
        }
    }

    public override PipeWriter Output => _limited;

    public override ValueTask<StoredFile> CommitAsync(Sha256Digest? expected, CancellationToken cancellationToken) =>
        CommitAsync(expected, Task.CompletedTask, cancellationToken);

    /// <param name="expected">The digest that it must have; null for any.</param>
    /// <param name="recorded">Must have succeeded before the file gets its name: runs while the file is flushed.</param>
    /// <param name="cancellationToken">Until it begins to be published.</param>
    public async ValueTask<StoredFile> CommitAsync(Sha256Digest? expected, Task recorded, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        try
        {
            await _file.FlushAsync(cancellationToken);
            _store.Limits.CheckFile(_name, _file.Position);
            _limited.ReleaseRest();
            FileDigest? digest = null;
            if (_digest is not null)
            {
                digest = await _digest.FinishAsync(_file.Handle, _file.Position, cancellationToken);
            }
            else if (expected is not null)
            {
                digest = await DigestWork.HashAsync(_file.Handle, _file.Position, _file.Position <= _store.MaxCachedBytes, cancellationToken);
            }

            if (expected is { } wanted && digest?.Sha256 != wanted)
            {
                throw Errors.WrongDigest(_name, wanted, digest?.Sha256);
            }

            return await _publisher.PublishAsync(
                _file, _name, _options.Precondition, new FileTerms(_options.Modified, _options.IsExecutable), digest, _reservation, upload: null, _exchanges, recorded, cancellationToken);
        }
        catch (FilePipeException exception)
        {
            throw Errors.Translate(exception, "publish", _name);
        }
    }

    public override async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        if (_digest is not null)
        {
            await _digest.StopAsync();
            _digest.Dispose();
        }

        await _file.DisposeAsync();
        _folder.Dispose();
        _reservation.ReleaseReservation();
    }
}
