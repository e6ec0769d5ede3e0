using Millrace.Interop;
using Millrace.Writing;

namespace Millrace.Copying;

/// <summary>One copy from beginning to end: opened, copied, verified, and published or removed.</summary>
internal sealed class FileCopier(
    string source,
    string destination,
    FileCopyOptions options,
    IProgress<FileCopyProgress>? progress,
    CopyMethods ways)
{
    private readonly FileCopyOptions _options = options;

    public async ValueTask<CopyResult> RunAsync(CancellationToken cancellationToken)
    {
        // All of this may wait for a device, even opening the file.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        return await CopyAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Copies on the calling thread, all of it where the kernel copies.</summary>
    public CopyResult Run(CancellationToken cancellationToken)
    {
        ValueTask<CopyResult> copy = CopyAsync(cancellationToken);
        return copy.IsCompleted ? copy.GetAwaiter().GetResult() : copy.AsTask().GetAwaiter().GetResult();
    }

    private async ValueTask<CopyResult> CopyAsync(CancellationToken cancellationToken)
    {
        FileSizeLimit.Prepare();
        using CopySource from = CopySource.Open(source, _options.KeepCached, _options.Portable);
        bool replaces = from.ThrowIfSame(destination);
        using StagedFile to = StagedFile.Create(
            destination, _options.CreateNew, ChooseMode(from, replaces), NativeFeatures.Linux && !_options.Portable);
        if (!_options.KeepCached)
        {
            to.KeepOutOfCache();
        }

        var reports = new CopyProgress(progress, from.File.KnownEnd);
        bool durable = _options.Durability != Durability.None;

        // A rename over another file makes ext4 begin writing all of it, and wait until the device has taken it.
        bool early = durable || replaces;
        using var content = new ContentCopy(
            from, to, _options.NoReflink ? ways & ~CopyMethods.Reflink : ways, early, _options.Verify, reports);
        await content.RunAsync(cancellationToken).ConfigureAwait(false);
        byte[] hash = [];
        if (_options.Verify)
        {
            hash = await CopyVerification
                .RunAsync(from, to, content.Length, content.Sha256, reports, cancellationToken)
                .ConfigureAwait(false);
            content.ThrowIfChanged();
        }

        cancellationToken.ThrowIfCancellationRequested();
        Publish(from, to, durable);
        return new CopyResult(content.Length, content.CopiedBytes, content.Method, hash);
    }

    private void Publish(CopySource from, StagedFile to, bool durable)
    {
        if (_options.PreserveTimes)
        {
            // After the last byte: writing sets them. Before the flush: it takes them to the device too.
            SetTimes(from, to);
        }

        if (durable)
        {
            to.Flush();
        }

        to.Publish(durable);
    }

    /// <summary>The mode for <see cref="FileCopyOptions.PreserveMode"/>; null for that of the file that is replaced.</summary>
    private UnixFileMode? ChooseMode(CopySource from, bool replaces)
    {
        if (OperatingSystem.IsWindows())
        {
            return null;
        }

        return _options.PreserveMode ? from.Mode
            : replaces ? null
            : from.Mode & ~FileCreationMask.Get();
    }

    private static void SetTimes(CopySource from, StagedFile to)
    {
        try
        {
            int error = from.CopyTimesTo(to.Handle);
            if (error != 0)
            {
                throw WriteErrors.Describe("set the times of", to.Path, 0, error);
            }
        }
        catch (Exception exception) when (exception is IOException and not FilePipeException or UnauthorizedAccessException)
        {
            throw WriteErrors.Describe(
                "set the times of", to.Path, 0, SystemError.Kind(exception, FilePipeError.WriteFailed), exception);
        }
    }
}

[Flags]
internal enum CopyMethods
{
    /// <summary>None but the last resort, <see cref="ReadAndWrite"/>, which is always there.</summary>
    None = 0,

    /// <summary>Both files share the blocks until one of them is written to.</summary>
    Reflink = 1,

    /// <summary>The kernel copies, or the device, or the server.</summary>
    Kernel = 2,
    ReadAndWrite = 4,
    All = Reflink | Kernel | ReadAndWrite,
}

/// <summary>Reports a copy's progress now and then. Not thread-safe.</summary>
internal sealed class CopyProgress(IProgress<FileCopyProgress>? progress, long total)
{
    private long _next = KernelSlices.Bytes;

    public void Reached(long bytes, bool verifying)
    {
        if (bytes >= _next)
        {
            Report(bytes, verifying);
        }
    }

    public void End(long bytes, bool verifying)
    {
        if (bytes == 0 || bytes != _next - KernelSlices.Bytes)
        {
            Report(bytes, verifying);
        }

        _next = KernelSlices.Bytes;
    }

    private void Report(long bytes, bool verifying)
    {
        _next = bytes + KernelSlices.Bytes;
        progress?.Report(new FileCopyProgress(bytes, total, verifying));
    }
}
