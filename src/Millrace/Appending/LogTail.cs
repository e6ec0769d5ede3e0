namespace Millrace.Appending;

internal static class LogTail
{
    /// <summary>Bytes of the first look back for the end of a record: most records are shorter.</summary>
    private const int FirstLook = 4096;

    private const int FurtherLook = 64 * 1024;

    public static bool NeedsCheck(in FileAppendOptions options) => options.Boundary is not null || options.FindEnd is not null;

    public static void Check(in FileAppendOptions options)
    {
        if (options.Boundary is not { } boundary)
        {
            return;
        }

        if (options.FindEnd is not null)
        {
            throw new ArgumentException(
                $"{nameof(FileAppendOptions.Boundary)} and {nameof(FileAppendOptions.FindEnd)} are both set; set only one of them.",
                nameof(options));
        }

        if (boundary.Kind == RecordBoundaryKind.Predicate)
        {
            throw new ArgumentException(
                $"{nameof(RecordBoundary)}.{nameof(RecordBoundary.Where)} finds where a record begins, not whether the last one "
                    + $"is complete; use {nameof(FileAppendOptions)}.{nameof(FileAppendOptions.FindEnd)}.",
                nameof(options));
        }
    }

    public static TornTail? Examine(LogFile file, in FileAppendOptions options)
    {
        if (!NeedsCheck(options))
        {
            return null;
        }

        long length = file.Length;
        long end;
        try
        {
            end = options.FindEnd is { } find ? Ask(find, file, length, options) : Find(file, options.Boundary!.Value, length);
        }
        catch (Exception exception) when (exception is IOException and not FilePipeException or UnauthorizedAccessException)
        {
            throw new FilePipeException(
                FilePipeError.ReadFailed,
                $"Cannot read the end of '{file.Path}', where an incomplete record may be: {exception.Message}",
                file.Path,
                length,
                exception);
        }

        if (end == length)
        {
            return null;
        }

        var torn = new TornTail(end, length - end);
        switch (options.TornTail)
        {
            case TornTailAction.Keep:
                break;
            case TornTailAction.Truncate:
                Cut(file, end, length);
                break;
            default:
                throw LogErrors.Torn(file.Path, torn);
        }

        return torn;
    }

    private static long Ask(Func<FilePipeReader, long> find, LogFile file, long length, in FileAppendOptions options)
    {
        var reading = new FileReadOptions
        {
            Strategy = ReadStrategy.Buffered,
            Length = length,
            LeaveOpen = true,
            Pool = options.Pool,
            Portable = options.Portable,
        };
        using FilePipeReader reader = FilePipe.OpenRead(file.Handle, reading);
        long end = find(reader);
        return end >= 0 && end <= length
            ? end
            : throw new InvalidOperationException(
                $"{nameof(FileAppendOptions.FindEnd)} returned {end} for '{file.Path}', which has {length} bytes.");
    }

    private static long Find(LogFile file, in RecordBoundary boundary, long length) => boundary.Kind switch
    {
        RecordBoundaryKind.Delimiter => AfterLast(file, boundary.Delimiter, length),

        // Shorter than the header before the first record: the header itself is torn.
        RecordBoundaryKind.FixedSize when length < boundary.First => 0,
        RecordBoundaryKind.FixedSize => length - ((length - boundary.First) % boundary.Size),
        _ => length,
    };

    /// <summary>
    /// Searches backwards. Zero bytes, with which a file system can lengthen a file that lost its last write in a power
    /// failure, are passed over like any others.
    /// </summary>
    private static long AfterLast(LogFile file, byte delimiter, long length)
    {
        byte[] buffer = new byte[FurtherLook];
        int look = FirstLook;
        long to = length;
        while (to > 0)
        {
            int bytes = (int)Math.Min(look, to);
            int read = Fill(file, buffer.AsSpan(0, bytes), to - bytes);
            int last = buffer.AsSpan(0, read).LastIndexOf(delimiter);
            if (last >= 0)
            {
                return to - bytes + last + 1;
            }

            to -= bytes;
            look = FurtherLook;
        }

        return 0;
    }

    private static int Fill(LogFile file, Span<byte> buffer, long offset)
    {
        int filled = 0;
        while (filled < buffer.Length)
        {
            int read = RandomAccess.Read(file.Handle, buffer[filled..], offset + filled);
            if (read == 0)
            {
                break;
            }

            filled += read;
        }

        return filled;
    }

    private static void Cut(LogFile file, long end, long length)
    {
        if (file.Length != length || !file.TryCut(end, length))
        {
            throw LogErrors.Grew(file.Path, length);
        }

        if (file.Flush() is { } failure)
        {
            throw failure.ToException(file.Path);
        }
    }
}
