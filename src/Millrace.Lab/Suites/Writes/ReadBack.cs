namespace Millrace.Lab.Suites.Writes;

/// <summary>A file that is read back and compared.</summary>
internal sealed class ReadBack : IDisposable
{
    private const int BufferBytes = 256 * 1024;

    // One for the process: nothing of it is left for the collector to find within a measurement.
    private static readonly byte[] Buffer = new byte[BufferBytes];

    private readonly FileStream _stream;
    private readonly string _path;
    private int _start;
    private int _end;
    private long _at;

    private ReadBack(FileStream stream, string path)
    {
        _stream = stream;
        _path = path;
    }

    /// <summary>Opens a file. One at a time.</summary>
    /// <exception cref="WrongResultException">There is none, or it has another length.</exception>
    public static ReadBack Open(string path, long bytes)
    {
        FileStream stream;
        try
        {
            stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0);
        }
        catch (FileNotFoundException)
        {
            throw new WrongResultException(path, "does not exist");
        }

        if (stream.Length == bytes)
        {
            return new ReadBack(stream, path);
        }

        long length = stream.Length;
        stream.Dispose();
        throw new WrongResultException(path, $"has {length:N0} bytes instead of {bytes:N0}");
    }

    /// <summary>Compares the next bytes.</summary>
    /// <exception cref="WrongResultException">They are other ones.</exception>
    public void Expect(ReadOnlySpan<byte> expected)
    {
        while (!expected.IsEmpty)
        {
            ReadOnlySpan<byte> next = Next(expected.Length);
            if (!next.SequenceEqual(expected[..next.Length]))
            {
                throw new WrongResultException(
                    _path, $"differs at offset {_at - next.Length + next.CommonPrefixLength(expected):N0}");
            }

            expected = expected[next.Length..];
        }
    }

    /// <summary>The next bytes, at least one and no more than asked for; valid until the next call.</summary>
    /// <exception cref="WrongResultException">The file has become shorter.</exception>
    public ReadOnlySpan<byte> Next(int most)
    {
        if (_start == _end)
        {
            _start = 0;
            _end = _stream.Read(Buffer);
            if (_end == 0)
            {
                throw new WrongResultException(_path, $"ends at offset {_at:N0}");
            }
        }

        int length = Math.Min(most, _end - _start);
        ReadOnlySpan<byte> next = Buffer.AsSpan(_start, length);
        _start += length;
        _at += length;
        return next;
    }

    /// <inheritdoc/>
    public void Dispose() => _stream.Dispose();
}
