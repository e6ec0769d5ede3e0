using System.IO.Pipelines;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>An open file of a <see cref="LocalFileStore"/>.</summary>
internal sealed class LocalFileReader : StoredFileReader
{
    private readonly StoreTree _tree;
    private readonly SafeFileHandle _handle;
    private readonly FileFacts _facts;
    private readonly ReadLoad _load;
    private readonly bool _portable;
    private bool _disposed;

    public LocalFileReader(
        StoreTree tree, SafeFileHandle handle, FileFacts facts, StoredFile file, ReadLoad load, bool portable)
    {
        _tree = tree;
        _handle = handle;
        _facts = facts;
        _load = load;
        _portable = portable;
        File = file;
        load.Enter();
    }

    public override StoredFile File { get; }

    public override PipeReader Read(ByteRange range) => Read(range, int.MaxValue);

    public override PipeReader Read(ByteRange range, int readBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(readBytes);
        ArgumentOutOfRangeException.ThrowIfNegative(range.Offset, nameof(range));
        ArgumentOutOfRangeException.ThrowIfNegative(range.Length, nameof(range));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(range.Offset, File.Length, nameof(range));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(range.Length, File.Length - range.Offset, nameof(range));

        // Not the time of the last change: being replaced under its name changes a file, too.
        FileFacts now = _tree.Look(_handle);
        if (now.Length != _facts.Length || now.Modified != _facts.Modified)
        {
            throw StoreErrors.Changed(File.Name);
        }

        return FilePipe.OpenRead(_handle, new FileReadOptions
        {
            Offset = range.Offset,
            Length = range.Length,
            LeaveOpen = true,
            ChangeDetection = ChangeDetection.Any,
            BufferSize = Math.Min(readBytes, _load.ChunkBytes),

            // Reading ahead is the kernel's: a thread and blocks for each transfer are more than a server has.
            Strategy = ReadStrategy.Buffered,
            Portable = _portable,
        });
    }

    public override ValueTask DisposeAsync()
    {
        if (!_disposed)
        {
            _disposed = true;
            _load.Leave();
            _handle.Dispose();
        }

        return default;
    }
}
