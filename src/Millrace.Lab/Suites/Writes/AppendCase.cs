using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Writes;

/// <summary>A case of appending records to one file.</summary>
internal sealed record AppendCase(string Method, string Folder, int Writers, int Records, string? Role = null)
    : WritesCase(Method, Folder, Role)
{
    // Each of them waits for the device.
    private const int SmallWriters = 4;
    private const int SmallRecords = 8;

    /// <inheritdoc/>
    public override Type BenchmarkClass => typeof(RecordAppending);

    /// <inheritdoc/>
    public override bool IsDurable => true;

    /// <inheritdoc/>
    public override bool MayBeBaseline => Writers == 1;

    /// <inheritdoc/>
    public override CaseParameters Parameters => new()
    {
        Bytes = (long)Records * AppendedRecord.Bytes,
        Durability = WritesPlan.EveryRecord,
        Records = Records,
        Writers = Writers,
    };

    /// <inheritdoc/>
    public override IReadOnlyDictionary<string, object> Values => new Dictionary<string, object>
    {
        [nameof(RecordAppending.Folder)] = Folder,
        [nameof(RecordAppending.Writers)] = Writers,
        [nameof(RecordAppending.Records)] = Records,
    };

    /// <inheritdoc/>
    public override WritesCase Small(WritesInputs inputs) =>
        this with { Writers = Math.Min(Writers, SmallWriters), Records = SmallRecords };

    /// <inheritdoc/>
    public override void Verify() => AppendedRecord.Verify(ResultFolder.FileIn(Folder), Writers, Records);
}
