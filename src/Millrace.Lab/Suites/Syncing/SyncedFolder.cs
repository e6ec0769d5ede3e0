using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using Millrace.Lab.Network;
using Millrace.Lab.Suites.Serving;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Syncing;

/// <summary>The client's end: Millrace's in this process, or another program. An invocation is one sync, with its connections.</summary>
internal sealed class SyncedFolder(SyncCase planned) : CaseMethod
{
    private readonly string _target = SyncFolders.TargetPath(planned);
    private SyncAddresses? _addresses;
    private Relay? _relay;
    private long _before;
    private long? _networkBytes;

    public override long? NetworkBytes => _networkBytes;

    public override Func<long> Find(string name)
    {
        if (planned.Direction is not null)
        {
            _addresses = SyncServer.Find(planned);
            SyncFolders.Prepare(planned);
        }

        return planned.Method switch
        {
            SyncMethod.Millrace => Counted(Wait(MoveAsync)),
            SyncMethod.Rsync => Counted(RunRsync),
            SyncMethod.Zsync => Counted(RunZsync),
            SyncMethod.Rclone => RunRclone,
            SyncMethod.BlockSums => Wait(ListBlocksAsync),
            SyncMethod.Sha256 => Wait(HashAsync),
            _ => throw Unknown(name),
        };
    }

    public override void Dispose()
    {
        base.Dispose();
        if (OperatingSystem.IsLinux())
        {
            _relay?.Dispose();
        }
    }

    private long Moved => planned.Files > 0 ? planned.Files * SyncSuite.SmallFileBytes : planned.Source.Bytes;

    /// <summary>Counts the bytes of a relay, both ways, if they are the figure.</summary>
    private Func<long> Counted(Func<long> run)
    {
        Uri server = planned.Method == SyncMethod.Rsync ? _addresses!.Rsync! : _addresses!.Files;
        if (!planned.IsDelta || !OperatingSystem.IsLinux())
        {
            return run;
        }

        _relay = Relay.Start(new IPEndPoint(IPAddress.Parse(server.Host), server.Port), TimeSpan.Zero, SyncSuite.LinkBitsPerSecond);
        Uri Through(Uri address) => new UriBuilder(address) { Host = _relay.Address.Address.ToString(), Port = _relay.Address.Port }.Uri;
        _addresses = _addresses with { Files = Through(_addresses.Files), Rsync = _addresses.Rsync is { } rsync ? Through(rsync) : null };
        return () =>
        {
            _before = OperatingSystem.IsLinux() ? _relay.Bytes : 0;
            long moved = run();
            _networkBytes = OperatingSystem.IsLinux() ? _relay.Bytes - _before : null;
            return moved;
        };
    }

    private async ValueTask<long> MoveAsync()
    {
        using var client = new TransferClient(planned.IsDurable ? _addresses!.Durable : _addresses!.Files, new TransferClientOptions
        {
            Protocol = TransferProtocol.Http1,
            Delta = TransferDelta.Always,
            Durability = Durability.None,
        });
        string version = SyncFolders.NextOf(planned);
        SyncFolder here = SyncFolder.Here(planned.IsUpload ? SyncFolders.SourcePath(planned, version) : _target);
        SyncFolder there = SyncFolder.OnServer(
            client, TransferName.Parse(planned.IsUpload ? SyncFolders.TargetOf(planned) : SyncFolders.NameOf(planned.Source, version)));
        var sync = planned.IsUpload ? new FolderSync(here, there, new SyncOptions()) : new FolderSync(there, here, new SyncOptions());
        SyncPlan plan = await sync.PlanAsync().ConfigureAwait(false);
        int expected = planned.Content == SyncSuite.Unchanged ? 0 : Math.Max(1, planned.Files);
        if (plan.Steps.Count != expected || plan.Faults.Count > 0)
        {
            throw new IOException($"The plan has {plan.Steps.Count} steps and {plan.Faults.Count} faults instead of {expected} steps.");
        }

        int failed = await sync.RunAsync(plan).ConfigureAwait(false);
        return failed == 0 ? Moved : throw new IOException($"{failed} of {expected} steps failed.");
    }

    private long RunRsync()
    {
        string version = SyncFolders.NextOf(planned);
        string here = (planned.IsUpload ? SyncFolders.SourcePath(planned, version) : _target) + "/";
        string there = $"{_addresses!.Rsync}{(planned.IsUpload ? SyncFolders.TargetOf(planned) : SyncFolders.NameOf(planned.Source, version))}/";
        SyncProgram.Run(
            Installed.Find("rsync")!, "-a", planned.IsDelta ? "--no-whole-file" : "--whole-file", planned.IsUpload ? here : there, planned.IsUpload ? there : here);
        return Moved;
    }

    private long RunZsync()
    {
        string version = SyncFolders.NextOf(planned);
        string name = SyncFolders.NameOf(planned.Source, version);
        const string File = SyncFolders.FileName;

        // In the folder: it makes a temporary file in the current one, and renames that.
        SyncProgram.RunIn(_target, Installed.Find("zsync")!, "-q", "-i", File, "-o", File, $"{_addresses!.Files}{name}.zsync");

        // It keeps the earlier version.
        System.IO.File.Delete(Path.Combine(_target, File + ".zs-old"));

        // In some time zones the date that it sets is an hour off.
        System.IO.File.SetLastWriteTimeUtc(
            Path.Combine(_target, File), System.IO.File.GetLastWriteTimeUtc(Path.Combine(SyncFolders.SourcePath(planned, version), File)));
        return Moved;
    }

    private long RunRclone()
    {
        SyncProgram.Run(
            Installed.Find("rclone")!, "copy", SyncFolders.SourcePath(planned, SyncFolders.First), ":webdav:" + SyncFolders.TargetOf(planned),
            "--webdav-url", _addresses!.Files.AbsoluteUri, "--webdav-vendor", "nextcloud", "--config", "/dev/null", "--retries", "1");
        return Moved;
    }

    private async ValueTask<long> ListBlocksAsync()
    {
        FilePipeReader reader = FilePipe.OpenRead(planned.Source.Path);
        await using ConfiguredAsyncDisposable _ = reader.ConfigureAwait(false);
        BlockSums sums = await BlockSums.ComputeAsync(reader, planned.Source.Bytes, CancellationToken.None).ConfigureAwait(false);
        return sums.FileLength;
    }

    private async ValueTask<long> HashAsync()
    {
        FilePipeReader reader = FilePipe.OpenRead(planned.Source.Path);
        await using ConfiguredAsyncDisposable _ = reader.ConfigureAwait(false);
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        while (true)
        {
            ReadResult result = await reader.ReadAsync().ConfigureAwait(false);
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                hash.AppendData(segment.Span);
            }

            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return hash.GetHashAndReset()[0];
            }
        }
    }
}

/// <summary>Runs other programs until they exit.</summary>
internal static class SyncProgram
{
    /// <exception cref="IOException">It failed; the message has its output.</exception>
    public static void Run(string program, params string[] arguments) => RunIn(Environment.CurrentDirectory, program, arguments);

    /// <inheritdoc cref="Run"/>
    public static void RunIn(string folder, string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            UseShellExecute = false,
            RedirectStandardError = true,
            RedirectStandardOutput = true,
            WorkingDirectory = folder,
        };

        // Not the proxy of the user: the server is here.
        start.Environment.Remove("http_proxy");
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        string errors = process.StandardError.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode != 0)
        {
            throw new IOException($"{Path.GetFileName(program)} failed with {process.ExitCode}: {errors}{output.GetAwaiter().GetResult()}");
        }
    }
}
