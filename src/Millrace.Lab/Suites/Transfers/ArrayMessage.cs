using System.Buffers;
using Grpc.Core;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>A message whose bytes are in an array, as message-oriented libraries exchange them. Disposing returns a rented array.</summary>
internal sealed class ArrayMessage(int bytes, bool isRented) : IDisposable
{
    private readonly byte[] _array = isRented ? ArrayPool<byte>.Shared.Rent(bytes) : new byte[bytes];

    /// <summary>The bytes in use, at most as many as the message was made for.</summary>
    public int Length { get; set; } = bytes;

    public Memory<byte> Memory => _array.AsMemory(0, Length);

    public static Marshaller<ArrayMessage> Marshaller(bool isRented) => Marshallers.Create(Write, context => Read(context, isRented));

    public void Dispose()
    {
        if (isRented)
        {
            ArrayPool<byte>.Shared.Return(_array);
        }
    }

    private static void Write(ArrayMessage message, SerializationContext context)
    {
        context.SetPayloadLength(message.Length);
        context.GetBufferWriter().Write(message.Memory.Span);
        context.Complete();
    }

    private static ArrayMessage Read(DeserializationContext context, bool isRented)
    {
        var message = new ArrayMessage(context.PayloadLength, isRented);
        context.PayloadAsReadOnlySequence().CopyTo(message.Memory.Span);
        return message;
    }
}
