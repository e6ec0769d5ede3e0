using BenchmarkDotNet.Attributes;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Writes;

/// <summary>
/// The benchmark: several writers append records to one file, each record on the device before its writer goes on. One
/// invocation opens the writers, appends all records and closes them.
/// </summary>
[MemoryDiagnoser]
public class RecordAppending : IMeasuredBenchmark
{
    /// <summary>The folder of the file.</summary>
    [ParamsSource(nameof(DefaultFolders))]
    public string Folder { get; set; } = "";

    /// <summary>How many append at once.</summary>
    [Params(1, 8, 64)]
    public int Writers { get; set; } = 1;

    /// <summary>How many records they append, all together; a multiple of <see cref="Writers"/>.</summary>
    [Params(WritesPlan.Records)]
    public int Records { get; set; }

    /// <inheritdoc/>
    public long CallingThreadTicks => 0;

    /// <inheritdoc/>
    public bool DescribesItself { get; set; }

    /// <inheritdoc/>
    public string? Description { get; private set; }

    /// <inheritdoc/>
    public string? DescriptionReason { get; private set; }

    private string Result => ResultFolder.FileIn(Folder);

    /// <summary>The folder that is written to unless a plan says otherwise.</summary>
    public static IEnumerable<string> DefaultFolders() => FileWriting.DefaultFolders();

    /// <summary>Millrace: a writer of its own for each, on the same file. The baseline with one writer.</summary>
    [Benchmark(Baseline = true)]
    public ValueTask<long> FilePipeAppend() => RunAsync(AppendAsync);

    /// <summary>One FileStream that all share, under a lock: a write and a flush to the device for each record.</summary>
    [Benchmark]
    public async ValueTask<long> FileStreamAppend()
    {
        var stream = new FileStream(Result, FileMode.Append, FileAccess.Write, FileShare.Read, bufferSize: 0);
        await using (stream.ConfigureAwait(false))
        {
            var gate = new Lock();
            return await RunAsync(writer =>
            {
                AppendLocked(stream, gate, writer);
                return Task.CompletedTask;
            }).ConfigureAwait(false);
        }
    }

    private async ValueTask<long> RunAsync(Func<int, Task> append)
    {
        await Task.WhenAll(Enumerable.Range(0, Writers).Select(writer => Task.Run(() => append(writer))))
            .ConfigureAwait(false);
        return Records;
    }

    private async Task AppendAsync(int index)
    {
        FileAppendWriter writer = FilePipe.Append(Result);
        await using (writer.ConfigureAwait(false))
        {
            if (DescribesItself && index == 0)
            {
                Description = nameof(WriteStrategy.Buffered);
                DescriptionReason = "one call appends what several flushes hand over";
            }

            byte[] record = new byte[AppendedRecord.Bytes];
            for (int i = 0; i < Records / Writers; i++)
            {
                AppendedRecord.Fill(record, index, i);
                await writer.WriteAsync(record).ConfigureAwait(false);
            }
        }
    }

    private void AppendLocked(FileStream stream, Lock gate, int index)
    {
        byte[] record = new byte[AppendedRecord.Bytes];
        for (int i = 0; i < Records / Writers; i++)
        {
            AppendedRecord.Fill(record, index, i);
            lock (gate)
            {
                stream.Write(record);
                stream.Flush(flushToDisk: true);
            }
        }
    }
}
