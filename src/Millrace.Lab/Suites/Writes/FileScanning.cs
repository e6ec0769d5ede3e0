using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Suites.Writes;

/// <summary>
/// The benchmark: one reader, or several of them each on a part. One invocation opens the file, sums its 64-bit integers or
/// counts its lines, and closes it.
/// </summary>
internal sealed class FileScanning(ScanCase planned) : CaseMethod
{
    private readonly TestFile _source = planned.File;

    public override Func<long> Find(string name) => name switch
    {
        nameof(FilePipe) => Wait(FilePipe),
        nameof(FilePipeScan) => Wait(FilePipeScan),
        _ => throw Unknown(name),
    };

    private bool IsText => _source.Content == FileContent.Csv;

    public async ValueTask<long> FilePipe()
    {
        FilePipeReader reader = Millrace.FilePipe.OpenRead(
            _source.Path, new FileReadOptions { Strategy = ReadStrategy.Buffered });
        await using (reader.ConfigureAwait(false))
        {
            Describe(reader);

            return Checked(IsText
                ? await CountAsync(reader, CancellationToken.None).ConfigureAwait(false)
                : await SumAsync(reader, CancellationToken.None).ConfigureAwait(false));
        }
    }

    public async ValueTask<long> FilePipeScan() => Checked(await (IsText
        ? Millrace.FilePipe.ScanAsync(_source.Path, planned.Degree, RecordBoundary.Lines, CountAsync, Add)
        : Millrace.FilePipe.ScanAsync(_source.Path, planned.Degree, RecordBoundary.Every(sizeof(long)), SumAsync, Add))
        .ConfigureAwait(false));

    private static long Add(long one, long other) => unchecked(one + other);

    private static async ValueTask<long> SumAsync(FilePipeReader reader, CancellationToken stop)
    {
        var checksum = default(Checksum);
        while (true)
        {
            ReadResult result = await reader.ReadAsync(stop).ConfigureAwait(false);
            checksum.Add(result.Buffer.FirstSpan);
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return checksum.Sum;
            }
        }
    }

    private static async ValueTask<long> CountAsync(FilePipeReader reader, CancellationToken stop)
    {
        long lines = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync(stop).ConfigureAwait(false);
            lines += result.Buffer.FirstSpan.Count((byte)'\n');
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return lines;
            }
        }
    }

    private long Checked(long result) => result == _source.Checksum
        ? result
        : throw new WrongChecksumException(_source, _source.Bytes, result);
}
