namespace Millrace.Lab.Suites.Writes;

/// <summary>
/// The benchmark: several writers append records to one file, each record on the device before its writer goes on. One
/// invocation opens the writers, appends all records and closes them.
/// </summary>
internal sealed class RecordAppending(AppendCase planned) : CaseMethod
{
    private readonly string _result = ResultFolder.FileIn(planned.Folder);

    public override Func<long> Find(string name) => name switch
    {
        nameof(FilePipeAppend) => Wait(FilePipeAppend),
        nameof(FileStreamAppend) => Wait(FileStreamAppend),
        _ => throw Unknown(name),
    };

    /// <summary>A Millrace writer for each, on the same file. The baseline with one writer.</summary>
    public ValueTask<long> FilePipeAppend() => RunAsync(AppendAsync);

    /// <summary>One FileStream that all share, under a lock: a write and a flush to the device for each record.</summary>
    public async ValueTask<long> FileStreamAppend()
    {
        var stream = new FileStream(_result, FileMode.Append, FileAccess.Write, FileShare.Read, bufferSize: 0);
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
        await Task.WhenAll(Enumerable.Range(0, planned.Writers).Select(writer => Task.Run(() => append(writer))))
            .ConfigureAwait(false);
        return planned.Records;
    }

    private async Task AppendAsync(int index)
    {
        FileAppendWriter writer = FilePipe.Append(_result);
        await using (writer.ConfigureAwait(false))
        {
            if (DescribesItself && index == 0)
            {
                Description = nameof(WriteStrategy.Buffered);
                DescriptionReason = "one call appends what several flushes hand over";
            }

            byte[] record = new byte[AppendedRecord.Bytes];
            for (int i = 0; i < planned.Records / planned.Writers; i++)
            {
                AppendedRecord.Fill(record, index, i);
                await writer.WriteAsync(record).ConfigureAwait(false);
            }
        }
    }

    private void AppendLocked(FileStream stream, Lock gate, int index)
    {
        byte[] record = new byte[AppendedRecord.Bytes];
        for (int i = 0; i < planned.Records / planned.Writers; i++)
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
