using System.Buffers;
using System.IO.Compression;
using Google.Protobuf;

namespace Millrace.Transfer;

/// <summary>Reads and makes messages that are held as a whole.</summary>
internal static class GrpcMessages
{
    /// <summary>Bytes of one message at most, also of one that was compressed.</summary>
    /// <remarks>As our server's, and four times what libraries of gRPC send by default.</remarks>
    public const int MaxBytes = (16 * 1024 * 1024) + ChunkParser.MaxRest;

    /// <summary>Minimum bytes expected of a compressed message: most of a file's are not larger.</summary>
    private const int MinInflated = ContentSource.BlockBytes;

    /// <summary>A frame around a message.</summary>
    public static byte[] Frame(IMessage message)
    {
        int bytes = message.CalculateSize();
        byte[] frame = new byte[FramePrefix.Bytes + bytes];
        new FramePrefix(0, (uint)bytes).Write(frame);
        message.WriteTo(frame.AsSpan(FramePrefix.Bytes));
        return frame;
    }

    /// <summary>The next message; null at the end.</summary>
    /// <exception cref="GrpcFault">It is none.</exception>
    public static async ValueTask<T?> ReadAsync<T>(GrpcInput input, MessageParser<T> parser, CancellationToken cancellationToken)
        where T : class, IMessage<T>
    {
        HeldMessage message = await ReadAsync(input, cancellationToken).ConfigureAwait(false);
        try
        {
            return message.IsNone ? null : Parse(parser, message.Memory.Span);
        }
        finally
        {
            message.Dispose();
        }
    }

    /// <summary>The only message of an answer, and its good end.</summary>
    public static async ValueTask<T> ReadOnlyOneAsync<T>(GrpcExchange exchange, GrpcInput input, MessageParser<T> parser)
        where T : class, IMessage<T>
    {
        T? message = await ReadAsync(input, parser, exchange.Token).ConfigureAwait(false);
        if (message is not null && await input.HasMessageAsync(GrpcInput.AsideBytes, exchange.Token).ConfigureAwait(false))
        {
            throw Failures.Protocol(exchange.Call, "the answer has more than one message");
        }

        input.ThrowUnlessOk();
        return message ?? throw Failures.Protocol(exchange.Call, "the answer has no message");
    }

    public static T Parse<T>(MessageParser<T> parser, ReadOnlySpan<byte> message)
        where T : IMessage<T>
    {
        try
        {
            return StrictMessage.Parse(parser, message);
        }
        catch (InvalidProtocolBufferException exception)
        {
            throw new GrpcFault(GrpcStatus.Internal, $"a message cannot be read ({exception.Message})");
        }
    }

    /// <summary>The next message; none at the end.</summary>
    private static async ValueTask<HeldMessage> ReadAsync(GrpcInput input, CancellationToken cancellationToken)
    {
        if (await input.ReadPrefixAsync(cancellationToken).ConfigureAwait(false) is not { } prefix)
        {
            return default;
        }

        if (prefix.Length > MaxBytes)
        {
            throw TooLarge();
        }

        return prefix.Flags == FramePrefix.Compressed
            ? await ReadCompressedAsync(input, (int)prefix.Length, cancellationToken).ConfigureAwait(false)
            : await HoldAsync(input, (int)prefix.Length, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Reads and inflates a message whose prefix marks it as compressed.</summary>
    public static async ValueTask<HeldMessage> ReadCompressedAsync(GrpcInput input, int bytes, CancellationToken cancellationToken)
    {
        if (!input.IsGzip)
        {
            throw new GrpcFault(GrpcStatus.Internal, "a message is compressed, but the answer has no encoding");
        }

        using HeldMessage compressed = await HoldAsync(input, bytes, cancellationToken).ConfigureAwait(false);
        return Inflate(compressed.Memory);
    }

    private static async ValueTask<HeldMessage> HoldAsync(GrpcInput input, int bytes, CancellationToken cancellationToken)
    {
        HeldMessage message = HeldMessage.Of(bytes);
        try
        {
            await input.ReadExactlyAsync(message.Memory, cancellationToken).ConfigureAwait(false);
            return message;
        }
        catch
        {
            message.Dispose();
            throw;
        }
    }

    private static HeldMessage Inflate(ReadOnlyMemory<byte> compressed)
    {
        using var source = new HeldStream(compressed);
        using var gzip = new GZipStream(source, CompressionMode.Decompress);
        HeldMessage message = HeldMessage.Of(Math.Clamp(4 * compressed.Length, MinInflated, MaxBytes));
        int bytes = 0;
        try
        {
            int read;
            while ((read = gzip.Read(message.Memory.Span[bytes..])) > 0)
            {
                bytes += read;
                if (bytes == message.Memory.Length)
                {
                    message = Grow(message, bytes);
                }
            }
        }
        catch (Exception exception)
        {
            message.Dispose();
            if (exception is InvalidDataException)
            {
                throw new GrpcFault(
                    GrpcStatus.Internal, $"a message is not compressed as declared ({exception.Message.TrimEnd('.')})");
            }

            throw;
        }

        message.Cut(bytes);
        return message;
    }

    private static HeldMessage Grow(HeldMessage message, int bytes)
    {
        if (bytes > MaxBytes)
        {
            throw TooLarge();
        }

        HeldMessage larger = HeldMessage.Of(Math.Min(2 * bytes, MaxBytes + 1));
        message.Memory.CopyTo(larger.Memory);
        message.Dispose();
        return larger;
    }

    private static GrpcFault TooLarge() => new(
        GrpcStatus.ResourceExhausted, $"a message has more than the {MaxBytes} bytes that are accepted. Ask for smaller chunks.");
}

/// <summary>Memory for one message that has to be held whole.</summary>
/// <remarks>Up to a block's size it is native, so that no array of that size is made.</remarks>
internal struct HeldMessage : IDisposable
{
    private IMemoryOwner<byte>? _block;
    private byte[]? _array;

    public Memory<byte> Memory { get; private set; }

    public readonly bool IsNone => _block is null && _array is null;

    public static HeldMessage Of(int bytes)
    {
        var message = new HeldMessage();
        if (bytes <= AlignedMemoryPool.Shared.MaxBufferSize)
        {
            message._block = AlignedMemoryPool.Shared.Rent(bytes);
            message.Memory = message._block.Memory[..bytes];
            return message;
        }

        message._array = ArrayPool<byte>.Shared.Rent(bytes);
        message.Memory = message._array.AsMemory(0, bytes);
        return message;
    }

    public void Cut(int bytes) => Memory = Memory[..bytes];

    public void Dispose()
    {
        _block?.Dispose();
        if (_array is not null)
        {
            ArrayPool<byte>.Shared.Return(_array);
        }

        this = default;
    }
}
