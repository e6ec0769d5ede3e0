using System.IO.Compression;

namespace Millrace.Transfer;

/// <summary>Compressed messages, which are held whole.</summary>
internal sealed partial class GrpcBody
{
    private readonly byte[] _head = new byte[HeaderRoom];
    private HeldMessage _held;
    private HeldStream? _compressed;
    private GZipStream? _gzip;
    private int _headStart;
    private int _headEnd;

    /// <summary>Gathers a compressed message; it is unpacked as far as somebody reads.</summary>
    private async ValueTask HoldCompressedAsync(CancellationToken cancellationToken)
    {
        GrpcMessages.ThrowUnlessGzip(_input);
        int bytes = (int)_parser.DataLeft;
        _held = HeldMessage.Of(bytes);
        await _input.ReadExactlyAsync(_held.Memory, cancellationToken).ConfigureAwait(false);
        _parser.Take(bytes);
        _parser.BeginOpen();
        _compressed ??= new HeldStream();
        _compressed.Begin(_held.Memory);
        _gzip = new GZipStream(_compressed, CompressionMode.Decompress, leaveOpen: true);
        _headStart = 0;
        _headEnd = 0;
        if (_file is null)
        {
            // What comes first is no file's bytes: nobody would read it.
            Unpack(default);
        }
    }

    /// <returns>0 when the message is over, or the destination is empty.</returns>
    private int Unpack(Span<byte> destination)
    {
        while (true)
        {
            if (_inData && destination.IsEmpty)
            {
                return 0;
            }

            if (_inData)
            {
                int bytes = UnpackData(destination[..(int)Math.Min(destination.Length, _parser.DataLeft)]);
                _parser.Take(bytes);
                _inData = _parser.DataLeft > 0;
                return bytes;
            }

            if (_headStart == _headEnd)
            {
                _headStart = 0;
                _headEnd = Inflate(_head);
                if (_headEnd == 0)
                {
                    _parser.EndOpen();
                    ReleaseHeld();
                    TakeRest();
                    return 0;
                }
            }

            ReadOnlySpan<byte> head = _head.AsSpan(_headStart.._headEnd);
            if (_parser.Read(ref head) == ChunkToken.Data)
            {
                BeginData(_parser.DataLeft);
                _inData = true;
            }

            _headStart = _headEnd - head.Length;
        }
    }

    private int UnpackData(Span<byte> destination)
    {
        int bytes = Math.Min(_headEnd - _headStart, destination.Length);
        if (bytes > 0)
        {
            _head.AsSpan(_headStart, bytes).CopyTo(destination);
            _headStart += bytes;
            return bytes;
        }

        bytes = Inflate(destination);
        return bytes > 0 ? bytes : throw new GrpcFault(GrpcStatus.Internal, "a message ends within a field");
    }

    private int Inflate(Span<byte> destination)
    {
        try
        {
            return _gzip!.Read(destination);
        }
        catch (InvalidDataException exception)
        {
            throw GrpcMessages.NotGzip(exception);
        }
    }

    private void ReleaseHeld()
    {
        _gzip?.Dispose();
        _gzip = null;
        _held.Dispose();
    }
}
