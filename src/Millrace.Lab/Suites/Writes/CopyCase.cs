using Millrace.Lab.Data;
using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Writes;

/// <summary>A case of copying a file.</summary>
internal sealed record CopyCase(string Method, string Folder, TestFile File, string? Role = null)
    : WritesCase(Method, Folder, Role)
{
    private const int PieceBytes = 256 * 1024;

    /// <inheritdoc/>
    public override Type BenchmarkClass => typeof(FileCopying);

    /// <inheritdoc/>
    public override TestFile Source => File;

    /// <inheritdoc/>
    public override CaseParameters Parameters => new()
    {
        Bytes = File.Bytes,
        Cache = CacheNames.Hot,
        Durability = WritesPlan.None,
    };

    /// <inheritdoc/>
    public override IReadOnlyDictionary<string, object> Values => new Dictionary<string, object>
    {
        [nameof(FileCopying.Folder)] = Folder,
        [nameof(FileCopying.Source)] = File,
    };

    /// <inheritdoc/>
    public override WritesCase Small(WritesInputs inputs) => this with { File = inputs.SmallIntegers };

    /// <inheritdoc/>
    public override void Verify()
    {
        using ReadBack copy = ReadBack.Open(ResultFolder.FileIn(Folder), File.Bytes);
        using var source = new FileStream(File.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        byte[] piece = new byte[PieceBytes];
        int read;
        while ((read = source.Read(piece)) > 0)
        {
            copy.Expect(piece.AsSpan(0, read));
        }
    }
}
