namespace Millrace.Tests.Properties;

/// <summary>
/// A model of a reader over a byte array: it knows where the reader is, the bytes the caller received and examined,
/// and holds every answer against that. How many bytes a read brings is the reader's affair within bounds.
/// </summary>
internal sealed class ReaderModel
{
    private static readonly int[] Pieces = [1, 4_096, 1_311, 7, 20_000];

    private readonly FilePipeReader _reader;
    private readonly long _start;
    private readonly long _limit;
    private readonly long _end;
    private readonly long _chunk;

    // The FIFO until its writing end is closed, and how many bytes have been written to it.
    private Fifo? _fifo;
    private int _fed;
    private int _turn;

    private long _position;
    private long _examined;
    private bool _cancelRequested;
    private bool _atEnd;
    private ReadResult _last;
    private bool _hasResult;

    private ReaderModel(FilePipeReader reader, ReaderCase given)
    {
        _reader = reader;
        _start = given.Options.Offset;
        _limit = given.Options.Length is { } length ? _start + length : long.MaxValue;
        _end = Math.Min(_limit, given.FileLength);
        _chunk = given.Options.BufferSize == 0 ? long.MaxValue : given.Options.BufferSize;
        _position = _start;
    }

    private long Rest => Math.Max(0, _end - _position);

    /// <summary>Runs a case, and then reads the rest.</summary>
    public static async Task CheckAsync(ReaderCase given)
    {
        using var pool = new CountingPool();
        using Fifo? fifo = given.IsFifo ? new Fifo() : null;
        string path = fifo?.Path ?? TestFolder.NewFile(given.FileLength);
        FilePipeReader reader = FilePipe.OpenRead(path, given.Options with { Pool = pool });
        var model = new ReaderModel(reader, given) { _fifo = fifo };
        foreach (Operation operation in given.Operations)
        {
            await model.DoAsync(operation);
            Assert.Equal(model._position, reader.Position);
        }

        if (model._cancelRequested)
        {
            Assert.True(reader.TryRead(out ReadResult canceled) && canceled.IsCanceled);
        }

        using var destination = new MemoryStream();
        Task copying = reader.CopyToAsync(destination);
        model.FeedUntil(copying);
        await copying.Soon();
        ReaderExtensions.AssertContent(
            Math.Min(model._position, model._end), model._end, destination.ToArray());
        await reader.CompleteAsync();
        await pool.AllReturnedAsync().Soon();
        File.Delete(path);
    }

    // One piece after the other, so that a read waits for each of them, and the last one often comes with the end.
    private void FeedUntil(Task read)
    {
        while (_fifo is not null && !read.IsCompleted)
        {
            int next = (int)Math.Min(_end, _fed + Pieces[_turn++ % Pieces.Length]);
            if (next > _fed)
            {
                _fifo.Write(TestContent.Between(_fed, next).Span);
                _fed = next;
            }
            else
            {
                _fifo.Dispose();
                _fifo = null;
            }

            // Whether the reader has taken it then does not matter.
            SpinWait.SpinUntil(() => read.IsCompleted, millisecondsTimeout: 1);
        }
    }

    private async Task<ReadResult> FedAsync(Task<ReadResult> read)
    {
        FeedUntil(read);
        return await read.Soon();
    }

    private async Task DoAsync(Operation operation)
    {
        switch (operation)
        {
            case Operation.Read:
                Got(await FedAsync(_reader.ReadAsync().AsTask()), atLeast: 0);
                break;
            case Operation.ReadSynchronously:
                Got(_fifo is null ? _reader.Read() : await FedAsync(Task.Run(_reader.Read)), atLeast: 0);
                break;
            case Operation.ReadAtLeast(int bytes):
                Got(await FedAsync(_reader.ReadAtLeastAsync(bytes).AsTask()), bytes);
                break;
            case Operation.TryRead:
                Try();
                break;
            case Operation.ReadWithCanceledToken:
                await Assert.ThrowsAnyAsync<OperationCanceledException>(
                    async () => await _reader.ReadAsync(new CancellationToken(canceled: true)));
                break;
            case Operation.Advance(int consumed, int examined):
                Advance(consumed, examined);
                break;
            case Operation.CancelPendingRead:
                _reader.CancelPendingRead();
                _cancelRequested = true;
                break;
            case Operation.Seek(int to):
                long target = _start + ((Math.Max(_end, _start) - _start) * to / 1_000);
                Seek(Math.Min(target, _limit));
                break;
            case Operation.SeekWithin(int to):
                Seek(_hasResult ? _position + (_last.Buffer.Length * to / 1_000) : _position);
                break;
            case Operation.CopyPart(int writes):
                await CopyPartAsync(writes);
                break;
            default:
                throw new NotSupportedException(operation.ToString());
        }
    }

    private void Got(ReadResult result, long atLeast)
    {
        long length = result.Buffer.Length;
        Assert.True(result.Buffer.IsSingleSegment);
        ReaderExtensions.AssertContent(
            Math.Min(_position, _end), Math.Min(_position, _end) + length, result.Buffer.FirstSpan);
        Assert.Equal(_cancelRequested, result.IsCanceled);
        if (result.IsCompleted)
        {
            Assert.Equal(Rest, length);
            _atEnd = true;
        }

        if (!result.IsCanceled)
        {
            Assert.True(result.IsCompleted || length > _examined, "nothing new and no end");
            Assert.True(result.IsCompleted || length >= atLeast, $"{length} of {atLeast} bytes");

            // A chunk is added to the examined bytes, unless more was handed out already or asked for.
            long given = _hasResult ? _last.Buffer.Length : 0;
            Assert.InRange(length, 0, Math.Max(Math.Max(given, atLeast), Plus(_examined, _chunk)));
        }

        _cancelRequested = false;
        _last = result;
        _hasResult = true;
    }

    private void Try()
    {
        bool due = _cancelRequested || (_hasResult && _examined < _last.Buffer.Length) || (_atEnd && _hasResult);
        bool got = _reader.TryRead(out ReadResult result);
        Assert.True(got || !due, "TryRead had nothing to give");
        if (got)
        {
            Got(result, atLeast: 0);
        }
    }

    private void Advance(int consumedThousandths, int examinedThousandths)
    {
        if (!_hasResult)
        {
            _reader.AdvanceTo(default);
            return;
        }

        long length = _last.Buffer.Length;
        long consumed = length * consumedThousandths / 1_000;
        long examined = consumed + ((length - consumed) * examinedThousandths / 1_000);
        _reader.AdvanceTo(_last.Buffer.GetPosition(consumed), _last.Buffer.GetPosition(examined));
        _position += consumed;
        _examined = examined - consumed;

        // The next read returns at least the rest of the buffer; its cursors stay good.
        _last = new ReadResult(_last.Buffer.Slice(consumed), isCanceled: false, isCompleted: false);
    }

    private void Seek(long target)
    {
        _reader.Seek(target);
        _position = target;
        Forget();
    }

    private async Task CopyPartAsync(int writes)
    {
        using var destination = new FailingStream(writes);
        Exception? exception = await Record.ExceptionAsync(() => _reader.CopyToAsync(destination).Soon());
        if (_cancelRequested)
        {
            Assert.IsType<OperationCanceledException>(exception, exactMatch: false);
            Assert.Equal(0, destination.Taken.Length);
            _cancelRequested = false;
        }
        else if (exception is not null)
        {
            Assert.Equal(FailingStream.Reason, Assert.IsType<IOException>(exception).Message);
        }
        else
        {
            Assert.Equal(Rest, destination.Taken.Length);
        }

        ReaderExtensions.AssertContent(
            Math.Min(_position, _end), Math.Min(_position, _end) + destination.Taken.Length, destination.Taken);
        _position += destination.Taken.Length;

        // A copy hands itself whole blocks: how much of the rest counts as given is not known here.
        Forget();
        Seek(_position);
    }

    private void Forget()
    {
        _examined = 0;
        _atEnd = false;
        _hasResult = false;
        _last = default;
    }

    private static long Plus(long a, long b) => b > long.MaxValue - a ? long.MaxValue : a + b;
}
