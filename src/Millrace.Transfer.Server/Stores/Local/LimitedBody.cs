using System.Buffers;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// Checks the limits before bytes are written, and charges them to the store's total. Space on the device is reserved a step
/// ahead of the bytes, never for all that was announced.
/// </summary>
internal sealed class LimitedBody : ForwardingWriter, IHoleWriter
{
    /// <summary>Bytes between two checks of the device where none are reserved.</summary>
    private const long CheckEvery = 1024 * 1024;

    /// <summary>Bytes that are reserved at once.</summary>
    /// <remarks>Few pieces on the device for a large file; 256 senders that announce much and send little hold 16 GiB.</remarks>
    private const long StepBytes = 64 * 1024 * 1024;

    /// <summary>Bytes of a hole that are written at once; see <see cref="AfterZeros"/>.</summary>
    private const long ZeroStepBytes = 256 * 1024 * 1024;

    private readonly FilePipeWriter _file;
    private readonly StoreLimits _limits;
    private readonly TransferName _name;
    private readonly Reservation _reservation;
    private readonly long? _length;
    private readonly long _kept;
    private bool _reserves;
    private long _charged;
    private long _reservedTo;

    /// <param name="file">Where the bytes go.</param>
    /// <param name="limits">The limits.</param>
    /// <param name="name">The name of the file.</param>
    /// <param name="length">Its length; null if it is not known.</param>
    /// <param name="reservation">Grows with the bytes.</param>
    /// <param name="discards">Whether a refusal takes away what was written here.</param>
    /// <param name="native">Whether space can be reserved on the device.</param>
    public LimitedBody(
        FilePipeWriter file, StoreLimits limits, TransferName name, long? length, Reservation reservation, bool discards, bool native)
        : base(file)
    {
        _file = file;
        _limits = limits;
        _name = name;
        _length = length;
        _reservation = reservation;
        _kept = discards ? file.Position : long.MaxValue;
        _reserves = native && length is not null;
        _charged = _reservedTo = file.Position;
    }

    /// <summary>Called with the position after a part of a hole; waits for readers that follow the writer. Null for none.</summary>
    public Func<long, CancellationToken, ValueTask>? AfterZeros { get; set; }

    /// <summary>Whether the store had no room for the last bytes.</summary>
    public bool WasRefused { get; private set; }

    public override void Advance(int bytes)
    {
        base.Advance(bytes);
        Check(0);
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        Check(0);
        return base.FlushAsync(cancellationToken);
    }

    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        Check(source.Length);
        return Inner.WriteAsync(source, cancellationToken);
    }

    /// <summary>As <see cref="FilePipeWriter.WriteThroughAsync"/>.</summary>
    public ValueTask WriteThroughAsync(ReadOnlySequence<byte> source, CancellationToken cancellationToken)
    {
        Check(source.Length);
        return _file.WriteThroughAsync(source, cancellationToken);
    }

    /// <inheritdoc/>
    /// <remarks>A hole takes no space on the device, but counts as bytes of the file everywhere else.</remarks>
    public async ValueTask WriteZerosAsync(long count, CancellationToken cancellationToken)
    {
        _limits.CheckFile(_name, _file.Position + count);
        Charge(_file.Position + count);
        if (_reserves)
        {
            // A sparse file is not worth a reservation for each of its parts.
            await _file.FlushAsync(cancellationToken);
            ReleaseRest();
            _reserves = false;
        }

        for (; count > 0; count -= ZeroStepBytes)
        {
            await _file.WriteZerosAsync(Math.Min(count, ZeroStepBytes), cancellationToken);
            _reservedTo = Math.Max(_reservedTo, _file.Position);
            if (AfterZeros is not null)
            {
                await AfterZeros(_file.Position, cancellationToken);
            }
        }
    }

    /// <summary>Gives back space that is reserved on the device beyond the bytes that are written.</summary>
    public void ReleaseRest()
    {
        if (_reserves && _reservedTo > _file.Position)
        {
            // If that fails, the space is given back with the file.
            _ = FileSpace.Truncate(_file.Handle, _file.Position - _file.UnflushedBytes);
        }
    }

    private void Check(long coming)
    {
        long position = _file.Position + coming;
        if (position <= _charged)
        {
            return;
        }

        _limits.CheckFile(_name, position);
        if (position > _reservedTo)
        {
            Step(position);
        }

        Charge(position);
    }

    private void Charge(long position)
    {
        WasRefused = true;
        _reservation.Reserve(_name, position - _charged, _kept);
        WasRefused = false;
        _charged = position;
    }

    private void Step(long position)
    {
        long to = _reserves ? Math.Max(position, Math.Min(_length!.Value, _reservedTo + StepBytes)) : position + CheckEvery;
        _limits.CheckDevice(_name, (_reserves ? to : position) - _reservedTo);
        if (_reserves
            && FileSpace.Reserve(_file.Handle, _reservedTo, to - _reservedTo) is Errno.NoSpace or Errno.QuotaExceeded)
        {
            throw Errors.NoSpace(_name, $"{to - _reservedTo} more bytes are needed, and the server's device has less");
        }

        _reservedTo = to;
    }
}
