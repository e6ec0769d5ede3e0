using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>One of the writes past the page cache that are in flight at once.</summary>
internal sealed class DirectLane(DirectLanes lanes) : IThreadPoolWorkItem
{
    private Block? _block;
    private int _bytes;
    private long _offset;

    /// <summary>Begins to write the first bytes of a block, which is owned from here on.</summary>
    public void Begin(Block block, int bytes, long offset)
    {
        _block = block;
        _bytes = bytes;
        _offset = offset;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    unsafe void IThreadPoolWorkItem.Execute()
    {
        FilePipeException? error = null;
        var bytes = new ReadOnlySpan<byte>(_block!.Pointer, _bytes);
        int code = PositionalWrite.Write(lanes.Direct, bytes, default, _offset, out long written);
        if (code is Errno.InvalidArgument or Errno.NotSupported)
        {
            // The file system accepted the flag and not the write.
            code = PositionalWrite.Write(lanes.File.Handle, bytes, default, _offset, out written);
        }

        if (code != 0)
        {
            error = WriteErrors.Describe("write", lanes.File.Path, _offset + written, code);
        }

        _block.Release();
        _block = null;
        lanes.Ended(this, error);
    }
}
