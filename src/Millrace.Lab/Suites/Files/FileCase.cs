using Millrace.Lab.Data;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>A case of a plan.</summary>
internal sealed record FileCase(
    string Method, TestFile Source, int Buffer, FileOptions Options, CacheState Cache, CacheFill Fill, string? Role = null)
    : PlannedCase(Method, Role)
{
    /// <inheritdoc/>
    public override Type BenchmarkClass => typeof(FileReading);

    /// <inheritdoc/>
    public override string BenchmarkMethod => Method;

    /// <inheritdoc/>
    public override CaseParameters Parameters => new()
    {
        Buffer = Buffer,
        Bytes = Source.Bytes,
        Options = OptionsText(Options),
        Cache = CacheNames.ToText(Cache),
        CacheFill = CacheNames.ToText(Fill),
        File = Source.Generated ? null : Source.Path,
    };

    /// <inheritdoc/>
    public override IReadOnlyDictionary<string, object> Values => new Dictionary<string, object>
    {
        [nameof(FileReading.Source)] = Source,
        [nameof(FileReading.Buffer)] = Buffer,
        [nameof(FileReading.Options)] = Options,
        [nameof(FileReading.Cache)] = Cache,
        [nameof(FileReading.Fill)] = Fill,
    };

    private static string OptionsText(FileOptions options) =>
        options.HasFlag(FileOptions.Asynchronous) ? "SequentialScan|Asynchronous" : "SequentialScan";
}
