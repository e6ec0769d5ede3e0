using System.Buffers;
using Millrace.Buffers;
using Millrace.Sources;

namespace Millrace.Scanning;

/// <summary>Finds the first record that begins within a part of a file. Thread-safe.</summary>
internal sealed class RecordSearch
{
    public const long None = -1;

    /// <remarks>A page: most records end within it, and the page cache reads nothing smaller.</remarks>
    private const int FirstReadBytes = 4096;

    /// <summary>Bytes of the largest read: later ones double up to this, as much as a reader asks for.</summary>
    private const int MaxReadBytes = 256 * 1024;

    private readonly OpenFile _file;
    private readonly RecordBoundary _boundary;
    private readonly long _end;

    public RecordSearch(OpenFile file, RecordBoundary boundary, long end)
    {
        _file = file;
        _boundary = boundary;
        _end = end;
    }

    /// <summary>Where the first record begins, at or after <paramref name="from"/> and before <paramref name="to"/>.</summary>
    /// <returns>The place in bytes from the start of the file, or <see cref="None"/>.</returns>
    public long FindFirst(long from, long to, CancellationToken cancellationToken) => _boundary.Kind switch
    {
        RecordBoundaryKind.Delimiter => FindDelimiter(from, to, cancellationToken),
        RecordBoundaryKind.FixedSize => FindMultiple(from, to),
        RecordBoundaryKind.Predicate => FindWhere(from, to, cancellationToken),
        _ => from,
    };

    private long FindMultiple(long from, long to)
    {
        if (from <= _boundary.First)
        {
            return _boundary.First < to ? _boundary.First : None;
        }

        long into = (from - _boundary.First) % _boundary.Size;
        long gap = into == 0 ? 0 : _boundary.Size - into;
        return gap < to - from ? from + gap : None;
    }

    private long FindDelimiter(long from, long to, CancellationToken cancellationToken)
    {
        // A record begins after a delimiter, so one byte earlier is looked at.
        return Walk(
            from - 1,
            to - 1,
            more: 0,
            (offset, bytes, _) =>
            {
                int index = bytes.IndexOf(_boundary.Delimiter);
                return index < 0 ? None : offset + index + 1;
            },
            cancellationToken);
    }

    private long FindWhere(long from, long to, CancellationToken cancellationToken)
    {
        RecordStart isStart = _boundary.Start!;
        int lookAhead = _boundary.LookAhead;
        if (lookAhead == 0)
        {
            for (long offset = from; offset < to; offset++)
            {
                if (isStart(offset, []))
                {
                    return offset;
                }
            }

            return None;
        }

        return Walk(
            from,
            to,
            lookAhead,
            (offset, bytes, places) =>
            {
                for (int i = 0; i < places; i++)
                {
                    if (isStart(offset + i, bytes.Slice(i, Math.Min(lookAhead, bytes.Length - i))))
                    {
                        return offset + i;
                    }
                }

                return None;
            },
            cancellationToken);
    }

    /// <summary>Looks at one block after the other, small ones first.</summary>
    private long Walk(long offset, long to, int more, BlockSearch find, CancellationToken cancellationToken)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(FirstReadBytes + more + BlockPool.Alignment);
        try
        {
            int wanted = FirstReadBytes;
            while (offset < to)
            {
                cancellationToken.ThrowIfCancellationRequested();
                int places = (int)Math.Min(wanted, to - offset);
                int bytes = (int)Math.Min(places + more, _end - offset);
                if (!TryRead(buffer, bytes, offset, out int start))
                {
                    return None;
                }

                long found = find(offset, buffer.AsSpan(start, bytes), places);
                if (found != None)
                {
                    return found;
                }

                offset += places;
                wanted = Math.Min(2 * wanted, MaxReadBytes);
                if (buffer.Length < wanted + more + BlockPool.Alignment)
                {
                    byte[] larger = ArrayPool<byte>.Shared.Rent(wanted + more + BlockPool.Alignment);
                    ArrayPool<byte>.Shared.Return(buffer);
                    buffer = larger;
                }
            }

            return None;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <summary>
    /// Reads all of it, to where the buffer is in step with the file (<see cref="Block.Align"/>). False where the file ends
    /// although it did not become shorter.
    /// </summary>
    private unsafe bool TryRead(byte[] buffer, int count, long offset, out int start)
    {
        using MemoryHandle pin = buffer.AsMemory().Pin();
        start = PageStep.IndexFor(offset, (byte*)pin.Pointer);
        Span<byte> bytes = buffer.AsSpan(start, count);
        try
        {
            while (!bytes.IsEmpty)
            {
                int read = _file.ReadAt(bytes, offset);
                if (read == 0)
                {
                    _ = _file.IsEnd(offset, sawEnd: true);
                    return false;
                }

                bytes = bytes[read..];
                offset += read;
            }

            return true;
        }
        catch (Exception exception) when (exception is not FilePipeException && OpenFile.IsSystemError(exception))
        {
            throw _file.ReadFailed(offset, exception);
        }
    }

    private delegate long BlockSearch(long offset, ReadOnlySpan<byte> bytes, int places);
}
