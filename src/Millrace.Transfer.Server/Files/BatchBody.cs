using System.Buffers;
using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>
/// Reads the body of a batch: a line of JSON, the bytes of that file, and so on. Holds one line and the bytes of one file. Not thread-safe.
/// </summary>
/// <param name="body">The body.</param>
/// <param name="files">Where the files go; null for a body of lines alone.</param>
internal sealed class BatchBody(PipeReader body, BatchFiles? files) : IDisposable
{
    private ReadOnlySequence<byte> _rest;
    private bool _isReading;
    private bool _isCompleted;

    /// <summary>Reads the line of the next file.</summary>
    /// <returns>Null at the end of the body.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it is malformed, or ends early.</exception>
    public async ValueTask<BatchFileDocument?> ReadLineAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadOnlySequence<byte> searched = _rest.Length > BatchFileDocument.MaxLineBytes + 1 ? _rest.Slice(0, BatchFileDocument.MaxLineBytes + 1) : _rest;
            if (searched.PositionOf((byte)'\n') is { } end)
            {
                BatchFileDocument file = Parse(_rest.Slice(0, end));
                _rest = _rest.Slice(_rest.GetPosition(1, end));
                return file;
            }

            if (searched.Length > BatchFileDocument.MaxLineBytes)
            {
                throw Errors.Invalid($"A line of a batch has more than {BatchFileDocument.MaxLineBytes} bytes, or the bytes before it are not as many as announced.");
            }

            if (!await ReadMoreAsync(cancellationToken))
            {
                return _rest.IsEmpty ? null : throw Errors.Invalid("The batch ends within the line of a file.");
            }
        }
    }

    /// <summary>Reads the bytes of a file.</summary>
    /// <param name="destination">Where they go, all of it.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: the body ends before.</exception>
    public async ValueTask ReadAsync(Memory<byte> destination, CancellationToken cancellationToken)
    {
        while (destination.Length > 0)
        {
            ReadOnlySequence<byte> piece = await TakeAsync(destination.Length, cancellationToken);
            piece.CopyTo(destination.Span);
            destination = destination[(int)piece.Length..];
        }
    }

    /// <summary>Drops the bytes of a file that was refused.</summary>
    /// <exception cref="TransferException">As <see cref="ReadAsync"/>.</exception>
    public async ValueTask SkipAsync(long bytes, CancellationToken cancellationToken)
    {
        while (bytes > 0)
        {
            bytes -= (await TakeAsync(bytes, cancellationToken)).Length;
        }
    }

    /// <summary>Gives the bytes back that were not read: the server discards them.</summary>
    public void Dispose()
    {
        if (_isReading)
        {
            _isReading = false;
            body.AdvanceTo(_rest.Start);
        }
    }

    private async ValueTask<ReadOnlySequence<byte>> TakeAsync(long atMost, CancellationToken cancellationToken)
    {
        while (_rest.IsEmpty)
        {
            if (!await ReadMoreAsync(cancellationToken))
            {
                throw Errors.Invalid("The batch ends within the bytes of a file.");
            }
        }

        ReadOnlySequence<byte> piece = _rest.Slice(0, Math.Min(atMost, _rest.Length));
        _rest = _rest.Slice(piece.End);
        return piece;
    }

    /// <returns>False when no more comes.</returns>
    private async ValueTask<bool> ReadMoreAsync(CancellationToken cancellationToken)
    {
        if (_isCompleted)
        {
            return false;
        }

        if (_isReading)
        {
            _isReading = false;
            body.AdvanceTo(_rest.Start, _rest.End);
            _rest = default;
        }

        ValueTask<ReadResult> reading = BodyCopy.ReadAsync(body, cancellationToken);
        if (reading.IsCompleted || files is null)
        {
            Accept(await reading);
            return true;
        }

        Task<ReadResult> slow = reading.AsTask();
        try
        {
            await files.WaitAsync(slow, cancellationToken);
        }
        finally
        {
            Accept(await slow);
        }

        return true;
    }

    private void Accept(in ReadResult result)
    {
        if (result.IsCanceled)
        {
            body.AdvanceTo(result.Buffer.Start);
            throw new OperationCanceledException("Receiving was canceled.");
        }

        (_rest, _isReading, _isCompleted) = (result.Buffer, true, result.IsCompleted);
    }

    private static BatchFileDocument Parse(in ReadOnlySequence<byte> line)
    {
        try
        {
            // Every name is kept for the answer.
            return JsonSerializer.Deserialize(line.IsSingleSegment ? line.FirstSpan : line.ToArray(), TransferJson.Default.BatchFileDocument)
                is { Name.Length: <= NameRules.MaxBytes } file
                ? file
                : throw Errors.Invalid($"A line of a batch has no name of at most {NameRules.MaxBytes} bytes.");
        }
        catch (JsonException exception)
        {
            throw Errors.Invalid(
                "A line of a batch is not a JSON object that describes a file, or the bytes before it are not as many as announced.", innerException: exception);
        }
    }
}
