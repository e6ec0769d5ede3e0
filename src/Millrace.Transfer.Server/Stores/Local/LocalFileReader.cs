using System.IO.Pipelines;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>An open file of a <see cref="LocalFileStore"/>.</summary>
internal sealed class LocalFileReader(SafeFileHandle handle, StoredFile file, bool portable) : StoredFileReader
{
    public override StoredFile File { get; } = file;

    public override PipeReader Read(ByteRange range)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(range.Offset, nameof(range));
        ArgumentOutOfRangeException.ThrowIfNegative(range.Length, nameof(range));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(range.Offset, File.Length, nameof(range));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(range.Length, File.Length - range.Offset, nameof(range));
        return FilePipe.OpenRead(handle, new FileReadOptions
        {
            Offset = range.Offset,
            Length = range.Length,
            LeaveOpen = true,
            ChangeDetection = ChangeDetection.Any,
            Portable = portable,
        });
    }

    public override ValueTask DisposeAsync()
    {
        handle.Dispose();
        return default;
    }
}
