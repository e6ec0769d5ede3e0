using System.Buffers;
using System.IO.Pipelines;
using System.Security.Cryptography;

namespace Millrace.Transfer.Server;

/// <summary>Each chunk is gathered in an array of its own and written when it is whole, as message-oriented libraries have it.</summary>
internal sealed class ArraySink(PipeWriter destination, long room, IncrementalHash? hash, bool isRented)
    : ChunkSink(destination, room, hash)
{
    private byte[] _array = [];
    private int _at;

    public override Memory<byte> Lend(long left) => _array.AsMemory(_at, (int)left);

    public override ValueTask LentAsync(int bytes, CancellationToken cancellationToken)
    {
        Count(_array.AsSpan(_at, bytes));
        _at += bytes;
        return default;
    }

    public override ValueTask ReleaseAsync(CancellationToken cancellationToken) => default;

    public override async ValueTask EndAsync(CancellationToken cancellationToken)
    {
        await BodyCopy.WriteAsync(new ReadOnlySequence<byte>(_array, 0, _at), Destination, cancellationToken)
            .ConfigureAwait(false);
        Return();
    }

    protected override void Prepare(long bytes)
    {
        Return();
        _array = isRented ? ArrayPool<byte>.Shared.Rent((int)bytes) : new byte[bytes];
        _at = 0;
    }

    protected override void Take(ReadOnlyMemory<byte> bytes)
    {
        bytes.CopyTo(_array.AsMemory(_at));
        _at += bytes.Length;
    }

    protected override void Dispose(bool disposing)
    {
        Return();
        base.Dispose(disposing);
    }

    private void Return()
    {
        if (isRented && _array.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_array);
        }

        _array = [];
    }
}
