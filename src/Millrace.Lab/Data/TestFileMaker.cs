namespace Millrace.Lab.Data;

/// <summary>Writes the laboratory's files.</summary>
internal static class TestFileMaker
{
    /// <summary>The pieces in which a file is written unless asked otherwise.</summary>
    public const int LargeWrite = 1024 * 1024;

    /// <summary>The pieces of <see cref="CacheFill.SmallWrites"/>: one page.</summary>
    public const int SmallWrite = 4096;

    /// <summary>
    /// Makes the file, or writes its content again in place so that it stays where it is on the disk, and flushes it.
    /// </summary>
    /// <param name="file">A generated one.</param>
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
