using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Writes;

/// <summary>A case of making a file.</summary>
internal sealed record WriteCase(
    string Method, string Folder, long Bytes, int Chunk, Durability Durability, string? Role = null)
    : WritesCase(Method, Folder, Role)
{
    // Several of a file pipe's blocks, so that all that happens at their ends happens.
    private const long SmallBytes = 512 * ByteSize.KiB;
    private const int SmallChunk = 16384;

    /// <inheritdoc/>
    public override Type BenchmarkClass => typeof(FileWriting);

    /// <inheritdoc/>
    public override bool IsDurable => Durability != Durability.None;

    /// <inheritdoc/>
    public override WriteStrategy? Strategy => Method switch
    {
        nameof(FileWriting.FilePipeWriteBehind) => WriteStrategy.WriteBehind,
        nameof(FileWriting.FilePipeDirect) => WriteStrategy.Direct,
        _ => null,
    };

    /// <inheritdoc/>
    public override CaseParameters Parameters => new()
    {
        Bytes = Bytes,
        Chunk = Chunk,
        Durability = IsDurable ? WritesPlan.Commit : WritesPlan.None,
    };

    /// <inheritdoc/>
    public override IReadOnlyDictionary<string, object> Values => new Dictionary<string, object>
    {
        [nameof(FileWriting.Folder)] = Folder,
        [nameof(FileWriting.Bytes)] = Bytes,
        [nameof(FileWriting.Chunk)] = Chunk,
        [nameof(FileWriting.Durability)] = Durability,
        [nameof(FileWriting.AllAtOnce)] = Method == nameof(FileWriting.WriteAllBytes),
    };

    /// <inheritdoc/>
    public override WritesCase Small(WritesInputs inputs) => this with
    {
        Bytes = Math.Min(Bytes, SmallBytes),
        Chunk = Chunk <= PipeProducer.SmallestWrite ? Chunk : SmallChunk,
    };

    /// <inheritdoc/>
    public override void Verify() => WrittenContent.Verify(ResultFolder.FileIn(Folder), Bytes, Chunk);
}
