namespace Millrace.Transfer.Server;

/// <summary>Checks the limits before bytes are written whose total number is not known.</summary>
internal sealed class LimitedBody : ForwardingWriter
{
    /// <summary>Bytes between two checks of the device.</summary>
    private const long CheckEvery = 1024 * 1024;

    private readonly FilePipeWriter _file;
    private readonly StoreLimits _limits;
    private readonly TransferName _name;
    private readonly Reservation? _reservation;
    private long _checked;

    /// <param name="file">Where the bytes go.</param>
    /// <param name="limits">The limits.</param>
    /// <param name="name">The name of the file.</param>
    /// <param name="reservation">Grows with the bytes; null if they were reserved before.</param>
    public LimitedBody(FilePipeWriter file, StoreLimits limits, TransferName name, Reservation? reservation)
        : base(file)
    {
        _file = file;
        _limits = limits;
        _name = name;
        _reservation = reservation;
        _checked = file.Position;
        limits.CheckDevice(name, 0);
    }

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

    /// <summary>Reserves the bytes since the last check, which were too few for a check.</summary>
    public void ReserveRemainder() => Reserve(_file.Position);

    private void Check(int coming)
    {
        long position = _file.Position + coming;
        _limits.CheckFile(_name, position);
        if (position - _checked >= CheckEvery)
        {
            Reserve(position);
        }
    }

    private void Reserve(long position)
    {
        if (position > _checked)
        {
            _reservation?.Reserve(_name, position - _checked);
        }

        _checked = position;
        _limits.CheckDevice(_name, 0);
    }
}
