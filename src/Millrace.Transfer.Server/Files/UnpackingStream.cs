namespace Millrace.Transfer.Server;

/// <summary>Decompresses a body, with a bound against bodies that are made to fill a disk.</summary>
internal sealed class UnpackingStream : ReadOnlyStream
{
    /// <summary>Bytes that any body may unpack to, however small it is: 16 MiB.</summary>
    /// <remarks>Files that are nearly empty, a log of zeros for example, are the ones that become extremely small.</remarks>
    public const long FreeBytes = 16L * 1024 * 1024;

    /// <summary>Bytes that each byte of a larger one may unpack to.</summary>
    /// <remarks>Text in brotli becomes 5 to 20 times smaller, repetitive logs up to 100 times; a bomb 1,000 times and more.</remarks>
    public const int MaxRatio = 200;

    /// <summary>Reads of 64 KiB, as everywhere.</summary>
    public static readonly StreamPipeReaderOptions PipeOptions = new(bufferSize: 64 * 1024, leaveOpen: true);

    private readonly TransferName _name;
    private readonly string _coding;
    private readonly EncodedStream _encoded;
    private readonly Stream _unpacked;
    private long _bytes;

    public UnpackingStream(Stream body, ContentCoding coding, TransferName name, bool hash)
    {
        _name = name;
        _coding = coding.Name;
        _encoded = new EncodedStream(body, hash);
        _unpacked = coding == ContentCoding.Brotli
            ? new BrotliUnpacker(_encoded)
            : new GzipUnpacker(_encoded);
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int read;
        try
        {
            read = await _unpacked.ReadAsync(buffer, cancellationToken);
        }
        catch (InvalidDataException exception)
        {
            throw Errors.Invalid(
                $"The body of '{_name}' is not valid {_coding}: it ends early, or contains other bytes. Nothing was stored.",
                _name.Value,
                exception);
        }

        _bytes += read;
        if (_bytes > FreeBytes && _bytes / MaxRatio > _encoded.Bytes)
        {
            throw new TransferException(
                TransferError.TooLarge,
                $"The body of '{_name}' unpacks to more than {MaxRatio} times its bytes. Send it without Content-Encoding.",
                _name.Value);
        }

        return read;
    }

    /// <summary>The digest of the bytes as they came; null when it was not asked for.</summary>
    public Sha256Digest? TakeDigest() => _encoded.TakeDigest();

    public override async ValueTask DisposeAsync()
    {
        await _unpacked.DisposeAsync();
        await _encoded.DisposeAsync();
        await base.DisposeAsync();
    }
}
