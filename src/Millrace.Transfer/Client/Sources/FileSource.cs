using System.IO.Pipelines;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer;

/// <summary>A file: read by <see cref="FilePipeReader"/>, any position again.</summary>
internal sealed class FileSource : ContentSource
{
    private readonly FilePipeReader _reader;
    private readonly bool _keepCached;
    private SequencePosition _next;
    private bool _pending;
    private long _position;

    public FileSource(string path, bool keepCached)
    {
        _keepCached = keepCached;
        Modified = LocalTime.Of(path);
        _reader = FilePipe.OpenRead(path, new FileReadOptions { ChangeDetection = ChangeDetection.Any, KeepCached = keepCached });
        Length = _reader.Length;
    }

    public override long? Length { get; }

    public override long Position => _position;

    public string Path => _reader.Path;

    /// <summary>When the file was last changed, as it was opened.</summary>
    public FileTime Modified { get; }

    public override bool CanSeek(long offset) => offset >= 0 && offset <= Length;

    public override void Seek(long offset)
    {
        Release();
        _reader.Seek(offset);
        _position = offset;
    }

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        Release();
        if (_position == Length)
        {
            return default;
        }

        ReadResult result = await _reader.ReadAsync(cancellationToken).ConfigureAwait(false);
        ReadOnlyMemory<byte> bytes = result.Buffer.First;
        long left = Length!.Value - _position;
        if (bytes.Length > left)
        {
            // It grows; its length at the beginning was promised.
            bytes = bytes[..(int)left];
        }

        _next = result.Buffer.GetPosition(bytes.Length);
        _pending = true;
        _position += bytes.Length;
        if (bytes.IsEmpty && result.IsCompleted)
        {
            throw Changed(Path);
        }

        return bytes;
    }

    public override void ThrowIfChanged()
    {
        if (!LocalTime.TryLook(Path, out long length, out FileTime modified) || length != Length || modified != Modified)
        {
            throw Changed(Path);
        }
    }

    public static TransferException Changed(string path) => new(
        TransferError.Changed,
        $"'{path}' was changed while it was uploaded. Upload it again when it is finished.",
        path);

    /// <summary>Another reader of the file. The caller completes it.</summary>
    public FilePipeReader OpenReader() => FilePipe.OpenRead(Path, new FileReadOptions { ChangeDetection = ChangeDetection.Any, KeepCached = _keepCached });

    /// <summary>Its holes; null if they are not worth it.</summary>
    public ExtentList? FindHoles()
    {
        if (Length < ExtentList.MinSavedBytes)
        {
            return null;
        }

        try
        {
            using SafeFileHandle file = File.OpenHandle(Path, share: FileShare.ReadWrite | FileShare.Delete);
            return ExtentList.Find(file, Length!.Value) is { IsSparse: true } holes ? holes : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Reading it finds out why.
            return null;
        }
    }

    public override bool CanFork => true;

    public override ContentSource Fork()
    {
        var other = new FileSource(Path, _keepCached);
        if (other.Length == Length && other.Modified == Modified)
        {
            return other;
        }

        other._reader.Complete();
        throw Changed(Path);
    }

    public override ValueTask DisposeAsync()
    {
        _reader.Complete();
        return default;
    }

    private void Release()
    {
        if (_pending)
        {
            _pending = false;
            _reader.AdvanceTo(_next);
        }
    }
}
