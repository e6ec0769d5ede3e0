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

        // In pieces of one length, whatever the lengths of the writes.
        byte[] piece = new byte[pieceBytes];
        int used = 0;
        file.WriteContent(bytes =>
        {
            while (!bytes.IsEmpty)
            {
                int taken = Math.Min(bytes.Length, piece.Length - used);
                bytes[..taken].CopyTo(piece.AsSpan(used));
                used += taken;
                bytes = bytes[taken..];
                if (used == piece.Length)
                {
                    stream.Write(piece);
                    used = 0;
                }
            }
        });
        stream.Write(piece, 0, used);

        // Written back now and not during a measurement.
        stream.Flush(flushToDisk: true);
    }
}

/// <summary>Takes the next bytes of a file.</summary>
internal delegate void WriteBytes(ReadOnlySpan<byte> bytes);
