using System.Buffers;
using System.Buffers.Text;
using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>
/// Turns written bytes into base64 in the memory that the destination lends: bytes are written to the end of it, and
/// become text from its beginning.
/// </summary>
/// <remarks>
/// One text: bytes that do not fill a group of three wait for the next, unless <see cref="Pad"/> ends it there. The
/// destination is not completed by this. Not thread-safe.
/// </remarks>
internal sealed class Base64PipeWriter(PipeWriter destination) : PipeWriter
{
    private const int GroupBytes = 3;
    private const int GroupCharacters = 4;

    /// <summary>Bytes that become text in one call.</summary>
    private const int BlockBytes = 3072;

    /// <summary>
    /// Room between text and bytes: the text of a block never reaches bytes that were not read, however the framework's
    /// vectors read and write within one.
    /// </summary>
    private const int Gap = BlockBytes / GroupBytes * GroupCharacters;

    /// <summary>Bytes that are lent without a size hint.</summary>
    private const int DefaultBytes = 4096;

    private readonly byte[] _rest = new byte[GroupBytes];
    private int _restBytes;
    private Memory<byte> _lent;
    private int _start;

    public override bool CanGetUnflushedBytes => destination.CanGetUnflushedBytes;

    public override long UnflushedBytes => destination.UnflushedBytes;

    /// <summary>Characters for so many bytes.</summary>
    public static long Encoded(long bytes) => (bytes + GroupBytes - 1) / GroupBytes * GroupCharacters;

    /// <summary>Bytes that fit into so much memory as text.</summary>
    public static int BytesIn(int memory) => ((memory - Gap) / GroupCharacters * GroupBytes) - GroupBytes;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        int bytes = (sizeHint == 0 ? DefaultBytes : sizeHint) + (2 * GroupBytes);
        _lent = destination.GetMemory((int)Encoded(bytes) + Gap);
        int room = BytesIn(_lent.Length);
        _start = _lent.Length - room;
        return _lent[_start..];
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        Span<byte> memory = _lent.Span;
        int start = _start - _restBytes;
        int all = _restBytes + bytes;
        _rest.AsSpan(0, _restBytes).CopyTo(memory[start..]);
        int whole = all - (all % GroupBytes);
        int written = 0;
        for (int at = 0; at < whole; at += BlockBytes)
        {
            Base64.EncodeToUtf8(
                memory.Slice(start + at, Math.Min(BlockBytes, whole - at)), memory[written..], out _, out int characters);
            written += characters;
        }

        _restBytes = all - whole;
        memory.Slice(start + whole, _restBytes).CopyTo(_rest);
        _lent = default;
        destination.Advance(written);
    }

    /// <summary>Ends the text where it is; what follows is another, which base64's readers of gRPC-Web take.</summary>
    public void Pad()
    {
        if (_restBytes > 0)
        {
            Base64.EncodeToUtf8(_rest.AsSpan(0, _restBytes), destination.GetSpan(GroupCharacters), out _, out int characters);
            destination.Advance(characters);
            _restBytes = 0;
        }
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) =>
        destination.FlushAsync(cancellationToken);

    public override void CancelPendingFlush() => destination.CancelPendingFlush();

    public override void Complete(Exception? exception = null)
    {
    }
}
