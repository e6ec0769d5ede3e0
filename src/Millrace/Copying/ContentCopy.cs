using System.Buffers;
using System.IO.Pipelines;
using System.Security.Cryptography;
using Millrace.Interop;
using Millrace.Sources;
using Millrace.Writing;

namespace Millrace.Copying;

/// <summary>
/// Copies the bytes of one file to another, the best method first. If one method cannot continue, because of the file system, the
/// kernel or the kind of file, the next one continues where it stopped; the last one reports the actual error.
/// </summary>
internal sealed class ContentCopy : IDisposable
{
    private readonly CopySource _source;
    private readonly OpenFile _from;
    private readonly StagedFile _to;
    private readonly CopyProgress _reports;
    private readonly WriteBehind? _behind;
    private readonly IncrementalHash? _hash;
    private readonly bool _mayShare;
    private bool _mayUseKernel;
    private bool _usedKernel;
    private bool _usedReader;
    private bool _shared;
    private FilePipeReader? _reader;

    public ContentCopy(
        CopySource source, StagedFile destination, CopyMethods ways, bool early, bool hash, CopyProgress reports)
    {
        _source = source;
        _from = source.File;
        _to = destination;
        _reports = reports;
        bool native = _from.Native && destination.Native;
        _mayShare = native && ways.HasFlag(CopyMethods.Reflink);
        _mayUseKernel = native && _from.KeepsCached && ways.HasFlag(CopyMethods.Kernel);
        _behind = native && (early || !_from.KeepsCached) ? new WriteBehind(destination.Handle, destination.Pages == CachedPages.Dropped) : null;
        _hash = hash && _from.KnownEnd == 0 ? IncrementalHash.CreateHash(HashAlgorithmName.SHA256) : null;
    }

    public long Length { get; private set; }

    /// <summary>Bytes that were moved; the rest are holes or shared.</summary>
    public long CopiedBytes { get; private set; }

    /// <summary>SHA-256 of the bytes read, when they cannot be read again; otherwise null.</summary>
    public byte[]? Sha256 { get; private set; }

    public string Method => (_shared, _usedKernel, _usedReader) switch
    {
        (true, _, _) => "reflink",
        (_, true, true) => "copy_file_range, read and write",
        (_, true, _) => "copy_file_range",
        _ => "read and write",
    };

    /// <summary>Copies everything. Not on the caller's thread: it waits for devices.</summary>
    public async ValueTask RunAsync(CancellationToken cancellationToken)
    {
        long size = _from.KnownEnd;
        if (size == 0)
        {
            // Empty, or of unknown length.
            Length = await ReadRangeAsync(0, long.MaxValue, cancellationToken).ConfigureAwait(false);
            Sha256 = _hash?.GetHashAndReset();
        }
        else if (TryShare(size))
        {
            Length = size;
        }
        else
        {
            Length = await CopyDataAsync(size, cancellationToken).ConfigureAwait(false);
        }

        _reports.End(Length, verifying: false);
        ThrowIfChanged();
    }

    public void ThrowIfChanged() => _ = _from.IsEnd(Length, sawEnd: true);

    public void Dispose()
    {
        _reader?.Dispose();
        _hash?.Dispose();
    }

    private bool TryShare(long size)
    {
        if (!_mayShare || KernelCopy.Share(_from.Handle, _to.Handle) != 0)
        {
            return false;
        }

        if (FileStatus.Get(_to.Handle, native: true).Size != size)
        {
            // All of it was shared, including bytes written after the copy began.
            _to.SetLength(size);
        }

        _shared = true;
        return true;
    }

    private async ValueTask<long> CopyDataAsync(long size, CancellationToken cancellationToken)
    {
        long at = 0;
        long written = 0;
        while (TryFindData(at, size, out long start, out long end))
        {
            at = CopyByKernel(start, end, cancellationToken);
            if (at < end)
            {
                at = await ReadRangeAsync(at, end, cancellationToken).ConfigureAwait(false);
            }

            written = at;
            if (at < end)
            {
                // A file that reports a length greater than its content, as those of /sys do.
                return at;
            }
        }

        if (written < size)
        {
            // A hole at the end.
            _to.SetLength(size);
        }

        return size;
    }

    private bool TryFindData(long offset, long size, out long start, out long end)
    {
        if (_from.Native)
        {
            return DataMap.TryFind(_from.Handle, offset, size, out start, out end);
        }

        start = offset;
        end = size;
        return offset < size;
    }

    private long CopyByKernel(long start, long end, CancellationToken cancellationToken)
    {
        if (!_mayUseKernel)
        {
            return start;
        }

        long at = start;
        int error = KernelSlices.Copy(_from.Handle, start, _to.Handle, start, end - start, Copied, cancellationToken);
        _usedKernel |= at > start;
        if (error is Errno.NoSpace or Errno.QuotaExceeded or Errno.FileTooLarge)
        {
            throw WriteErrors.Describe("write", _to.Path, at, error);
        }

        // For any other error, reading and writing shows which of the two files has it, or succeeds.
        _mayUseKernel = at == end;
        return at;

        void Copied(long bytes)
        {
            at += bytes;
            Reached(at, bytes);
        }
    }

    private async ValueTask<long> ReadRangeAsync(long start, long end, CancellationToken cancellationToken)
    {
        FilePipeReader reader = _reader ??= _source.Read(_from.KnownEnd == 0 ? null : _from.KnownEnd);
        if (reader.Position != start)
        {
            reader.Seek(start);
        }

        _usedReader = true;
        long at = start;
        while (at < end)
        {
            ReadResult result = await reader.ReadAsync(cancellationToken).ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested();
            ReadOnlySequence<byte> buffer = result.Buffer;
            int bytes = (int)Math.Min(buffer.Length, end - at);
            _to.Write(buffer.FirstSpan[..bytes], default, at);
            _hash?.AppendData(buffer.FirstSpan[..bytes]);
            reader.AdvanceTo(buffer.GetPosition(bytes));
            at += bytes;
            Reached(at, bytes);
            if (result.IsCompleted && bytes == buffer.Length)
            {
                break;
            }
        }

        return at;
    }

    private void Reached(long at, long bytes)
    {
        CopiedBytes += bytes;
        _behind?.Reached(at);
        _reports.Reached(at, verifying: false);
    }
}
