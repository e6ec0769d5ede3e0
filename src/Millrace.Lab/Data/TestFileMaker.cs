namespace Millrace.Lab.Data;

internal static class TestFileMaker
{
    /// <summary>The pieces in which a file is written unless asked otherwise.</summary>
    public const int LargeWrite = 1024 * 1024;
    public const int SmallWrite = 4096;

    /// <summary>Makes the file, or writes its content again in place so that it stays where it is on the disk, and flushes it.</summary>
    /// <param name="pieceBytes">The length of every write, which decides how the kernel caches the file.</param>
    /// <exception cref="IOException">The disk is full or the folder cannot be written.</exception>
    public static void Write(TestFile file, int pieceBytes)
    {
        if (!file.Generated)
        {
            throw new InvalidOperationException("A user's own file is never written.");
        }

        Directory.CreateDirectory(Path.GetDirectoryName(file.Path)!);
        using var stream = new FileStream(
            file.Path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.Read, bufferSize: 0);
        if (stream.Length > file.Bytes)
        {
            stream.SetLength(file.Bytes);
        }

        using (var pieces = new PieceStream(stream, pieceBytes))
        {
            file.WriteContent(pieces);
        }

        // Written back now and not during a measurement.
        stream.Flush(flushToDisk: true);
    }
}

/// <summary>Passes on what is written to it in pieces of one length, whatever the lengths of the writes.</summary>
/// <remarks>A BufferedStream passes long writes through as they are.</remarks>
internal sealed class PieceStream(Stream destination, int pieceBytes) : Stream
{
    private readonly byte[] _piece = new byte[pieceBytes];
    private int _used;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        while (!buffer.IsEmpty)
        {
            int taken = Math.Min(buffer.Length, _piece.Length - _used);
            buffer[..taken].CopyTo(_piece.AsSpan(_used));
            _used += taken;
            buffer = buffer[taken..];
            if (_used == _piece.Length)
            {
                Flush();
            }
        }
    }

    public override void Flush()
    {
        destination.Write(_piece, 0, _used);
        _used = 0;
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Flush();
        }

        base.Dispose(disposing);
    }
}
