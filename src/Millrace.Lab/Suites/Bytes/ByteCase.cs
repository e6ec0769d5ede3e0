using Millrace.Lab.Data;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>A case of the plan.</summary>
/// <param name="Method">Arrival and walk, with a dot between them.</param>
/// <param name="Source">What is read.</param>
/// <param name="Buffer">Bytes of an increment.</param>
/// <param name="Readers">How many at once.</param>
/// <param name="Role">Null, or "noise".</param>
internal sealed record ByteCase(string Method, ByteSource Source, int Buffer, int Readers = 1, string? Role = null)
    : PlannedCase(Method, Role)
{
    /// <inheritdoc/>
    public override Type BenchmarkClass => IsLines ? typeof(LineReading) : typeof(ByteReading);

    /// <inheritdoc/>
    public override string BenchmarkMethod => Method.Replace(".", "", StringComparison.Ordinal);

    /// <inheritdoc/>
    public override CaseParameters Parameters => new()
    {
        Buffer = Buffer,
        Bytes = Source.File.Bytes,
        Source = Source.Name,
        Content = Source.File.Content switch
        {
            FileContent.Csv => "csv",
            FileContent.Random => "random",
            _ => null,
        },
        Readers = Readers,
        Cache = CacheNames.Hot,
        File = Source.File.Generated ? null : Source.File.Path,
    };

    /// <inheritdoc/>
    public override IReadOnlyDictionary<string, object> Values => IsLines
        ? new Dictionary<string, object>
        {
            [nameof(LineReading.Source)] = Source,
            [nameof(LineReading.Buffer)] = Buffer,
        }
        : new Dictionary<string, object>
        {
            [nameof(ByteReading.Source)] = Source,
            [nameof(ByteReading.Buffer)] = Buffer,
            [nameof(ByteReading.Readers)] = Readers,
        };

    private bool IsLines => Method.EndsWith(BytesPlan.Lines, StringComparison.Ordinal);
}
