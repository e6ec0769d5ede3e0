using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>A case of a plan.</summary>
internal sealed record FileCase(
    string Method, TestFile Source, int Buffer, FileOptions Options, CacheState Cache, CacheFill Fill, string? Role = null)
{
    /// <summary>Its index in the plan; the same in every process.</summary>
    public int Plan { get; init; }

    /// <summary>The name in results.</summary>
    public string Name => Role == LabCase.NoiseRole ? Method + LabCase.NoiseSuffix : Method;

    /// <summary>The parameters as results name them.</summary>
    public CaseParameters Parameters => new()
    {
        Buffer = Buffer,
        Bytes = Source.Bytes,
        Options = OptionsText(Options),
        Cache = CacheNames.ToText(Cache),
        CacheFill = CacheNames.ToText(Fill),
        File = Source.Generated ? null : Source.Path,
    };

    /// <summary>The parameters as the benchmark class names them.</summary>
    public IReadOnlyDictionary<string, object> Values => new Dictionary<string, object>
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
