namespace Millrace.Transfer;

/// <summary>A file that is uploaded as a delta of the version that the server has, or as a sparse file.</summary>
/// <param name="Plan">How it is made of that version.</param>
/// <param name="Tag">The version; null if nothing of it is used.</param>
/// <param name="Sha256">The file's digest: what shows that the server has made it right.</param>
internal sealed record DeltaUpload(DeltaPlan Plan, EntityTag? Tag, Sha256Digest Sha256)
{
    /// <summary>Bytes of a file that one request makes at most: the server answers when they are written.</summary>
    private const long MaxMadeBytes = 2L * 1024 * 1024 * 1024;

    /// <summary>Compares a file with the server's blocks.</summary>
    /// <param name="source">The file.</param>
    /// <param name="blocks">The server's blocks.</param>
    /// <param name="holes">The file's own extents; null if it has no holes, or the server knows none.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>Null if a delta would save too little.</returns>
    public static async ValueTask<DeltaUpload?> MakeAsync(
        FileSource source, RemoteBlocks blocks, ExtentList? holes, CancellationToken cancellationToken)
    {
        using FilePipeReader reader = source.OpenReader();
        using var hash = new HashFollower();
        try
        {
            DeltaPlan plan = await DeltaPlan
                .MakeAsync(reader, source.Length!.Value, blocks.Sums, hash, cancellationToken).ConfigureAwait(false);
            plan = holes is null ? plan : plan.WithHoles(holes);
            long bytes = new DeltaEncoding(plan, 0, long.MaxValue, long.MaxValue).Bytes;
            return bytes > plan.Length / 10 * 9
                ? null
                : new DeltaUpload(plan, blocks.Tag, await hash.FinishAsync().ConfigureAwait(false));
        }
        catch (IOException)
        {
            // It was changed, which the upload of all of it finds out, too.
            return null;
        }
    }

    /// <summary>A sparse file without its zeros.</summary>
    public static async ValueTask<DeltaUpload> MakeAsync(FileSource source, ExtentList holes, CancellationToken cancellationToken)
    {
        using FilePipeReader reader = source.OpenReader();
        using var hash = new ParallelHash();
        await SparseHash.AppendAsync(hash, reader, holes, cancellationToken).ConfigureAwait(false);
        return new DeltaUpload(DeltaPlan.Of(holes), Tag: null, await hash.FinishAsync().ConfigureAwait(false));
    }

    /// <summary>The bytes of one request.</summary>
    /// <param name="source">The file.</param>
    /// <param name="offset">Where it goes on.</param>
    /// <param name="maxBytes">Bytes that the request may have.</param>
    public DeltaSource Next(ContentSource source, long offset, long maxBytes) =>
        new(source, new DeltaEncoding(Plan, offset, maxBytes, MaxMadeBytes));

    /// <summary>Hashes the scanned bytes on another thread.</summary>
    private sealed class HashFollower : IDeltaFollower, IDisposable
    {
        private readonly ParallelHash _hash = new();

        public ValueTask FollowAsync(ReadOnlyMemory<byte> bytes) => _hash.AppendAsync(bytes);

        public ValueTask DrainAsync() => _hash.DrainAsync();

        public ValueTask<Sha256Digest> FinishAsync() => _hash.FinishAsync();

        public void Dispose() => _hash.Dispose();
    }
}
