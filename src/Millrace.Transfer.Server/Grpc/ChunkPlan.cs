namespace Millrace.Transfer.Server;

/// <summary>Into which chunks a part of a file is divided, known before any of it is read.</summary>
/// <param name="ChunkBytes">A file's bytes in each of them but the last.</param>
/// <param name="ReadBytes">Bytes that are read at once.</param>
/// <param name="Count">A file's bytes in all of them.</param>
internal readonly record struct ChunkPlan(int ChunkBytes, int ReadBytes, long Count)
{
    /// <summary>Default bytes of a chunk: 252 KiB.</summary>
    /// <remarks>With its header within 256 KiB, the largest block that connections lend, and whole pages.</remarks>
    public const int DefaultBytes = 252 * 1024;

    /// <summary>The same for text: 188 KiB, which become 251.</summary>
    public const int DefaultTextBytes = 188 * 1024;

    /// <summary>Bytes of a smaller chunk than that are read together with others, and moved apart in memory.</summary>
    /// <remarks>A system call costs about what copying so many does.</remarks>
    private const int WorthCall = 16 * 1024;

    /// <summary>Bytes of all chunks with their headers.</summary>
    public long Bytes
    {
        get
        {
            long whole = Count / ChunkBytes;
            int last = (int)(Count % ChunkBytes);
            return Count + (whole * ChunkHeader.BytesFor(ChunkBytes)) + (last == 0 ? 0 : ChunkHeader.BytesFor(last));
        }
    }

    /// <summary>Divides.</summary>
    /// <param name="call">The call.</param>
    /// <param name="wish">Bytes of a chunk as the caller wishes; 0 for no wish.</param>
    /// <param name="count">Bytes of the part.</param>
    public static ChunkPlan For(GrpcCall call, int wish, long count)
    {
        int most = call.Form == GrpcForm.WebText ? DefaultTextBytes : DefaultBytes;
        if (call.TurnBytes is { } turn)
        {
            most = Math.Clamp(turn, WorthCall, most);
        }

        if (call.SendsGzip)
        {
            // Two are compressed at the same time, into one block.
            int packed = wish == 0 ? most / 2 : Math.Min(wish, most / 2);
            return new ChunkPlan(packed, 2 * packed, count);
        }

        int chunk = wish == 0 ? most : Math.Min(wish, most);
        return new ChunkPlan(
            chunk, chunk >= WorthCall ? chunk : most / (chunk + ChunkHeader.MaxBytes) * chunk, count);
    }
}
