using Millrace.Lab.Data;
using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Writes;

/// <summary>A case of reading a file in parts at once.</summary>
internal sealed record ScanCase(string Method, string Folder, TestFile File, int Degree, string? Role = null)
    : WritesCase(Method, Folder, Role)
{
    /// <inheritdoc/>
    public override Type BenchmarkClass => typeof(FileScanning);

    /// <inheritdoc/>
    public override TestFile Source => File;

    /// <inheritdoc/>
    public override CaseParameters Parameters => new()
    {
        Bytes = File.Bytes,
        Cache = CacheNames.Hot,
        Content = File.Content == FileContent.Csv ? WritesPlan.Lines : WritesPlan.Integers,
        Degree = Degree,
    };

    /// <inheritdoc/>
    public override IReadOnlyDictionary<string, object> Values => new Dictionary<string, object>
    {
        [nameof(FileScanning.Source)] = File,
        [nameof(FileScanning.Degree)] = Degree,
    };

    /// <inheritdoc/>
    public override WritesCase Small(WritesInputs inputs) =>
        this with { File = File.Content == FileContent.Csv ? inputs.FirstLines : inputs.SmallIntegers };

    /// <summary>Nothing is written: each invocation compares its own result.</summary>
    public override void Verify()
    {
    }
}
