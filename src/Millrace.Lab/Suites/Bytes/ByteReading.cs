namespace Millrace.Lab.Suites.Bytes;

/// <summary>
/// How bytes arrive times how they are iterated over. One invocation opens the source, sums every byte and closes it, once
/// for every reader; readers beyond the first run at the same time.
/// </summary>
internal sealed partial class ByteReading(ByteCase planned) : CaseMethod
{
    private readonly ByteSource _source = planned.Source;
    private readonly int _buffer = planned.Buffer;

    public override Func<long> Find(string name) => name switch
    {
        "AsyncBytes.AwaitForEach" => Run(AsyncBytesAwaitForEachAsync),
        "AsyncBytes.ForEach" => Run(AsyncBytesForEachAsync),
        "AsyncBytes.Reduce" => Run(AsyncBytesReduceAsync),
        "AllAtOnce.For" => Run(AllAtOnceAsync<ForWalk>),
        "AllAtOnce.ForEach" => Run(AllAtOnceAsync<ForEachWalk>),
        "AllAtOnce.Reduce" => Run(AllAtOnceAsync<ReduceWalk>),
        "AllAtOnce.Span" => Run(AllAtOnceAsync<SpanWalk>),
        "AllAtOnce.Vector" => Run(AllAtOnceAsync<VectorWalk>),
        "Increments.For" => Run(IncrementsAsync<ForWalk>),
        "Increments.ForEach" => Run(IncrementsAsync<ForEachWalk>),
        "Increments.Reduce" => Run(IncrementsAsync<ReduceWalk>),
        "Increments.Span" => Run(IncrementsAsync<SpanWalk>),
        "Increments.Vector" => Run(IncrementsAsync<VectorWalk>),
        "Completion.For" => Run(CompletionAsync<ForWalk>),
        "Completion.ForEach" => Run(CompletionAsync<ForEachWalk>),
        "Completion.Reduce" => Run(CompletionAsync<ReduceWalk>),
        "Completion.Span" => Run(CompletionAsync<SpanWalk>),
        "Completion.Vector" => Run(CompletionAsync<VectorWalk>),
        "PipeReader.For" => Run(PipeReaderAsync<ForWalk>),
        "PipeReader.ForEach" => Run(PipeReaderAsync<ForEachWalk>),
        "PipeReader.Reduce" => Run(PipeReaderAsync<ReduceWalk>),
        "PipeReader.Span" => Run(PipeReaderAsync<SpanWalk>),
        "PipeReader.Vector" => Run(PipeReaderAsync<VectorWalk>),
        "MillraceBytes.AwaitForEach" => Run(MillraceBytesAwaitForEachAsync),
        "MillraceBytes.ForEach" => Run(MillraceBytesForEachAsync),
        "MillraceBytes.Reduce" => Run(MillraceBytesReduceAsync),
        "MillraceBytes.Span" => Run(MillraceBytesSpanAsync),
        "MillraceBytes.Vector" => Run(MillraceBytesVectorAsync),
        _ => throw Unknown(name),
    };

    private Func<long> Run(Func<ValueTask<ulong>> read) => Wait(() => RunAsync(read));

    private async ValueTask<long> RunAsync(Func<ValueTask<ulong>> read)
    {
        if (planned.Readers == 1)
        {
            return Checked(await read().ConfigureAwait(false));
        }

        Task<ulong>[] all = [.. Enumerable.Range(0, planned.Readers).Select(_ => Task.Run(() => read().AsTask()))];
        long sum = 0;
        foreach (ulong each in await Task.WhenAll(all).ConfigureAwait(false))
        {
            sum = Checked(each);
        }

        return sum;
    }

    private long Checked(ulong sum) => sum == (ulong)_source.File.Checksum
        ? (long)sum
        : throw new WrongChecksumException(_source.File, _source.File.Bytes, (long)sum);

    // All bytes in one array.
    private async ValueTask<ulong> AllAtOnceAsync<TWalk>()
        where TWalk : struct, IByteWalk =>
        TWalk.Sum(await _source.ReadAllAsync().ConfigureAwait(false));

    // All bytes in one array, handed to a callback when they are there.
    private async ValueTask<ulong> CompletionAsync<TWalk>()
        where TWalk : struct, IByteWalk
    {
        var done = new TaskCompletionSource<ulong>();
        _ = _source.ReadAllAsync().ContinueWith(
            read =>
            {
                if (read.IsCompletedSuccessfully)
                {
                    done.SetResult(TWalk.Sum(read.Result));
                }
                else
                {
                    done.SetException(read.Exception?.InnerException ?? new OperationCanceledException());
                }
            },
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        return await done.Task.ConfigureAwait(false);
    }

    // One reused buffer, each increment handed to a delegate.
    private async ValueTask<ulong> IncrementsAsync<TWalk>()
        where TWalk : struct, IByteWalk
    {
        Stream stream = await _source.OpenStreamAsync().ConfigureAwait(false);
        await using (stream.ConfigureAwait(false))
        {
            ulong sum = 0;
            await ReadIncrementsAsync(stream, _buffer, increment => sum = checked(sum + TWalk.Sum(increment)))
                .ConfigureAwait(false);
            return sum;
        }
    }

    private static async ValueTask ReadIncrementsAsync(Stream stream, int bufferBytes, Action<ArraySegment<byte>> take)
    {
        byte[] buffer = new byte[bufferBytes];
        int read;
        while ((read = await stream.ReadAsync(buffer).ConfigureAwait(false)) > 0)
        {
            take(new ArraySegment<byte>(buffer, 0, read));
        }
    }

    // A pipe's segments.
    private async ValueTask<ulong> PipeReaderAsync<TWalk>()
        where TWalk : struct, IByteWalk
    {
        PipeReader reader = await OpenPipeAsync().ConfigureAwait(false);
        ulong sum = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync().ConfigureAwait(false);
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                sum = checked(sum + TWalk.Sum(segment));
            }

            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                break;
            }
        }

        await reader.CompleteAsync().ConfigureAwait(false);
        return sum;
    }

    private async ValueTask<PipeReader> OpenPipeAsync()
    {
        PipeReader reader = await _source.OpenPipeAsync(_buffer).ConfigureAwait(false);
        if (reader is FilePipeReader file)
        {
            Describe(file);
        }

        return reader;
    }
}

/// <summary>One invocation opens a file of text and counts its lines.</summary>
internal sealed class LineReading(ByteCase planned) : CaseMethod
{
    private readonly TestFile _file = planned.Source.File;

    public override Func<long> Find(string name) => name switch
    {
        BytesSuite.TextLines => Wait(TextLinesAsync),
        BytesSuite.ByteLines => Wait(ByteLinesAsync),
        _ => throw Unknown(name),
    };

    // The framework's method: a string per line.
    private async ValueTask<long> TextLinesAsync()
    {
        using var reader = new StreamReader(
            planned.Source.OpenFile(), Encoding.UTF8, detectEncodingFromByteOrderMarks: true, bufferSize: planned.Buffer);
        long lines = 0;
        long length = 0;
        while (await reader.ReadLineAsync().ConfigureAwait(false) is { } line)
        {
            lines++;
            length = checked(length + line.Length);
        }

        return Checked(lines, length);
    }

    // Millrace's: the bytes of a line, without a copy.
    private async ValueTask<long> ByteLinesAsync()
    {
        FilePipeReader reader = FilePipe.OpenRead(_file.Path, new FileReadOptions { BufferSize = planned.Buffer });
        Describe(reader);
        await using (reader.ConfigureAwait(false))
        {
            long lines = 0;
            long length = 0;
#pragma warning disable CA2007 // The sequence's own ConfigureAwait is not known to the rule, and changes nothing here.
            await foreach (ReadOnlyMemory<byte> line in reader.ReadLinesAsync())
#pragma warning restore CA2007
            {
                lines++;
                length = checked(length + line.Length);
            }

            return Checked(lines, length);
        }
    }

    // All lines end with one byte, and all characters are one byte.
    private long Checked(long lines, long length) => lines == _file.Checksum && length + lines == _file.Bytes
        ? lines
        : throw new WrongChecksumException(_file, length + lines, lines);
}
