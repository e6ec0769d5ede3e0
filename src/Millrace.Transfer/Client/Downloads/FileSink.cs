using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer;

/// <summary>A file that appears when it is whole; until then under another name, or none.</summary>
internal sealed class FileSink : DownloadSink
{
    private readonly string _path;
    private readonly string _folder;
    private readonly bool _mustBeNew;
    private readonly Durability _durability;
    private readonly bool _keepCached;
    private PartRecord? _part;
    private FilePipeWriter? _writer;
    private bool _committed;

    /// <summary>Begins a file, or continues the part of one.</summary>
    public FileSink(string path, bool mustBeNew, Durability durability, bool keepCached, PartRecord? part)
    {
        _path = path;
        _folder = Path.GetDirectoryName(Path.GetFullPath(path))!;
        _mustBeNew = mustBeNew;
        _durability = durability;
        _keepCached = keepCached;
        _part = part;
        if (mustBeNew && File.Exists(path))
        {
            throw new TransferException(
                TransferError.AlreadyExists, $"'{path}' already exists. Choose another name, or allow replacing it.", path);
        }

        Kept = part?.Note is null ? 0 : new FileInfo(part.PartPath).Length;
    }

    /// <inheritdoc/>
    /// <remarks>Bytes of several ranges are not written by a writer that keeps them out of the page cache.</remarks>
    public override bool TakesRanges => _keepCached;

    public override bool TakesHoles => true;

    /// <inheritdoc/>
    /// <remarks>A small file that is new, where one wait makes all of the file system durable.</remarks>
    public override bool SharesCommit => _part is null && _durability != Durability.None
        && Writer is FilePipeWriter { Position: <= TransferClient.SmallFileBytes } writer && FileSystemSync.IsReliable(writer.Handle);

    public override PipeWriter Writer => _writer ??= Open();

    public override int FlushBytes => ContentSource.BlockBytes;

    /// <inheritdoc/>
    /// <remarks>The rest of a block of the file, however small, so that whole blocks are written, each to whole pages.</remarks>
    public override int RoomAt(long taken) => ContentSource.BlockBytes - (int)(taken % ContentSource.BlockBytes);

    public override int MinMemory => 1;

    public override PartNote? Note => _part?.Note;

    public override long Kept { get; }

    public override bool CanRestart => true;

    /// <inheritdoc/>
    /// <remarks>A full disk stops more than this download. The framework knows the disks of Windows by their letters only.</remarks>
    public override bool HasRoom() =>
        (OperatingSystem.IsWindows() && _folder.StartsWith(@"\\", StringComparison.Ordinal))
        || (new DriveInfo(_folder) is var disk && disk.AvailableFreeSpace >= disk.TotalSize / 100);

    public override void Describe(OpenedFile file, bool mayUseRanges)
    {
        if (_writer is null && _part is { IsSaved: false } && file.Length <= Upload.WholeBytes)
        {
            // To get it again costs less than to remember how far it came.
            _part = null;
        }

        if (mayUseRanges && _writer is null)
        {
            _part ??= PartRecord.Unremembered(_path);
        }

        _part?.Save(file);
    }

    public override async ValueTask<PartRecord> UsePartAsync()
    {
        await CloseAsync().ConfigureAwait(false);
        return _part ??= PartRecord.Unremembered(_path);
    }

    public override void Describe(StoredFile file, long[] missing) => _part!.Save(file, missing);

    public override async ValueTask<PartRecord> UseRangesAsync()
    {
        await CloseAsync().ConfigureAwait(false);
        return _part!;
    }

    public override async ValueTask HashAsync(ParallelHash hash, long bytes, CancellationToken cancellationToken)
    {
        // The writer holds a lock on the part, which a reader does not need.
        FilePipeReader reader = FilePipe.OpenRead(
            _part!.PartPath,
            new FileReadOptions { Length = bytes, Share = FileShare.ReadWrite | FileShare.Delete, KeepCached = _keepCached });
        await using ConfiguredAsyncDisposable _ = reader.ConfigureAwait(false);
        using (SafeFileHandle file = File.OpenHandle(_part.PartPath, share: FileShare.ReadWrite | FileShare.Delete))
        {
            if (ExtentList.Find(file, bytes) is { IsSparse: true } holes)
            {
                await SparseHash.AppendAsync(hash, reader, holes, cancellationToken).ConfigureAwait(false);
                return;
            }
        }

        while (true)
        {
            ReadResult result = await reader.ReadAsync(cancellationToken).ConfigureAwait(false);
            await hash.AppendAsync(result.Buffer.First).ConfigureAwait(false);
            await hash.DrainAsync().ConfigureAwait(false);
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return;
            }
        }
    }

    public override async ValueTask RestartAsync()
    {
        await CloseAsync().ConfigureAwait(false);
        _part?.Remove();
    }

    public override async ValueTask CommitAsync(FileTime? modified, bool? isExecutable, CancellationToken cancellationToken)
    {
        var writer = (FilePipeWriter)Writer;
        try
        {
            if (isExecutable is { } isProgram)
            {
                ExecutableBit.Set(writer.Handle, isProgram);
            }

            if (modified is { } time)
            {
                // After the last write, which sets it.
                await writer.FlushAsync(cancellationToken).ConfigureAwait(false);
                LocalTime.Set(writer.Handle, time);
            }

            await writer.CommitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (FilePipeException exception) when (exception.Error == FilePipeError.NameTaken)
        {
            throw new TransferException(
                TransferError.AlreadyExists,
                $"'{_path}' was created meanwhile. Choose another name, or allow replacing it.",
                _path,
                exception);
        }

        _committed = true;
        _part?.RemoveNote();
    }

    public override async ValueTask DisposeAsync()
    {
        try
        {
            await CloseAsync().ConfigureAwait(false);
        }
        finally
        {
            if (!_committed && _part is { } part && !part.IsSaved)
            {
                // The version is unknown: it could not be continued.
                part.Remove();
            }
        }
    }

    private async ValueTask CloseAsync()
    {
        if (_writer is { } writer)
        {
            _writer = null;
            await writer.DisposeAsync().ConfigureAwait(false);
        }
    }

    private FilePipeWriter Open()
    {
        var options = new FileWriteOptions { CreateNew = _mustBeNew, Durability = _durability, KeepCached = _keepCached };
        return _part is null ? FilePipe.Create(_path, options) : FilePipe.Resume(_part.PartPath, _path, options);
    }
}
