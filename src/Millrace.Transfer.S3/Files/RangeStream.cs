namespace Millrace.Transfer.S3;

/// <summary>
/// Reads a part of one version of an object: up to three requests are under way, and a broken one continues where it was. Bytes of
/// another version are refused. Not thread-safe.
/// </summary>
internal sealed class RangeStream : ReadOnlyStream
{
    /// <summary>Bytes of one request.</summary>
    /// <remarks>Large enough that a request costs less than 1 % of its bytes; those that wait are in the sockets' buffers only.</remarks>
    private const long RequestBytes = 16L << 20;

    private const int MaxRequests = 3;

    private const int MaxAttempts = 6;

    private readonly Bucket _bucket;
    private readonly string _key;
    private readonly StoredFile _file;
    private readonly long _end;
    private readonly Queue<(long End, Task<GetObjectResponse> Response)> _requests = new();
    private readonly CancellationTokenSource _closed = new();
    private GetObjectResponse? _current;
    private long _position;
    private long _currentEnd;
    private long _requested;
    private int _attempts;
    private bool _disposed;

    public RangeStream(Bucket bucket, string key, StoredFile file, ByteRange range)
    {
        _bucket = bucket;
        _key = key;
        _file = file;
        _position = _requested = range.Offset;
        _end = range.End;
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (_position < _end)
        {
            try
            {
                _current ??= await NextAsync(cancellationToken);
                int count = await _current.ResponseStream.ReadAsync(
                    buffer[..(int)Math.Min(buffer.Length, _currentEnd - _position)], cancellationToken);
                if (count == 0)
                {
                    throw new IOException("The object store ended its response early.");
                }

                _position += count;

                // Also within a request: object stores end one whose reader pauses, and it may pause often.
                _attempts = 0;
                if (_position == _currentEnd)
                {
                    Drop();
                }

                return count;
            }
            catch (OperationCanceledException)
            {
                // A reader may be cancelled, and then read on.
                DropAll();
                throw;
            }
            catch (Exception exception) when (S3Errors.IsOfStore(exception))
            {
                await RecoverAsync(exception, cancellationToken);
            }
        }

        return 0;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing && !_disposed)
        {
            _disposed = true;
            _closed.Cancel();
            DropAll();
        }

        base.Dispose(disposing);
    }

    private async ValueTask<GetObjectResponse> NextAsync(CancellationToken cancellationToken)
    {
        if (_requests.Count == 0)
        {
            _requested = _position;
        }

        while (_requests.Count < MaxRequests && _requested < _end)
        {
            long to = Math.Min(_end, _requested + RequestBytes);
            _requests.Enqueue((to, RequestAsync(_requested, to)));
            _requested = to;
        }

        (long end, Task<GetObjectResponse> response) = _requests.Peek();
        GetObjectResponse next = await response.WaitAsync(cancellationToken);
        _requests.Dequeue();
        _currentEnd = end;
        return next;
    }

    private Task<GetObjectResponse> RequestAsync(long from, long to) => _bucket.Client.GetObjectAsync(
        new GetObjectRequest
        {
            BucketName = _bucket.Name,
            Key = _key,
            ByteRange = new Amazon.S3.Model.ByteRange(from, to - 1),
            EtagToMatch = _file.Tag.Value,
        },
        _closed.Token);

    /// <summary>Prepares to continue at the position, or throws.</summary>
    private async ValueTask RecoverAsync(Exception exception, CancellationToken cancellationToken)
    {
        DropAll();
        if (S3Errors.IsConditionFailed(exception) || S3Errors.IsNotFound(exception))
        {
            throw S3Errors.Changed(_file.Name, exception);
        }

        TransferException failure = (TransferException)S3Errors.Translate(exception, _file.Name.Value);
        if (failure.Error != TransferError.Unavailable || ++_attempts == MaxAttempts)
        {
            throw failure;
        }

        await Task.Delay(Random.Shared.Next(50, 100) << _attempts, cancellationToken);
    }

    private void Drop()
    {
        _current?.Dispose();
        _current = null;
    }

    /// <summary>The next read asks again, from the position on.</summary>
    private void DropAll()
    {
        Drop();
        while (_requests.TryDequeue(out (long End, Task<GetObjectResponse> Response) next))
        {
            _ = AbandonAsync(next.Response);
        }
    }

    private static async Task AbandonAsync(Task<GetObjectResponse> response)
    {
        try
        {
            (await response).Dispose();
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception) || exception is OperationCanceledException)
        {
            // It is not needed.
        }
    }
}
