using System.Reflection;
using System.Security.Cryptography;
using Millrace.Lab.Suites.Serving;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>The article's own methods: swift/ reads with URLSession, in a separate process. The names are those of its program.</summary>
internal static class UrlSession
{
    public const string Prefix = "UrlSession";
    public const string DataFor = "UrlSessionDataFor";
    public const string Best = "UrlSessionIncrementalUnsafe";

    // How bytes come and how they are walked over, with the rows in .NET that do the same.
    private static readonly (string Name, string Arrival, bool IsData)[] Arrivals =
        [("Bytes", "AsyncBytes", false), ("Data", "AllAtOnce", true), ("Incremental", "Increments", true), ("Completion", "Completion", true)];

    private static readonly (string Name, string OfData, string? OfBytes)[] Walks =
        [("For", "For", "AwaitForEach"), ("Unsafe", "Span", null), ("ForEach", "ForEach", null), ("Reduce", "Reduce", "Reduce")];

    private static readonly Dictionary<string, Way> Ways =
    (
        from arrival in Arrivals
        from walk in Walks
        let same = arrival.IsData ? walk.OfData : walk.OfBytes
        where same is not null
        select (Method: Prefix + arrival.Name + walk.Name, Way: new Way(arrival.Arrival, same)))
        .ToDictionary(item => item.Method, item => item.Way);

    public static IReadOnlyList<string> Methods { get; } = [.. Ways.Keys];

    public static bool Is(string method) => method.StartsWith(Prefix, StringComparison.Ordinal);

    /// <summary>The row in .NET that makes the same two decisions; null for a method that is not one of these.</summary>
    public static Way? WayOf(string method) => Ways.TryGetValue(method, out Way way) ? way : null;
}

/// <summary>One invocation reads the address once. The program measures its own use of resources, around the reading alone.</summary>
internal sealed class UrlSessionReading : CaseMethod
{
    private readonly ByteSource _source;
    private ProcessCounters _used;

    public UrlSessionReading(ByteCase planned)
    {
        _source = planned.Source;
        if (UrlSession.WayOf(planned.Method)?.Arrival == "AsyncBytes")
        {
            (Description, DescriptionReason) = OperatingSystem.IsMacOS()
                ? ("bytes(from:)", null)
                : ("delegate", "Linux has no URLSession.bytes(from:) (swift-corelibs-foundation#3036): this is an AsyncSequence over URLSessionDataDelegate");
        }
    }

    public override int? WorkingProcess => UrlSessionProgram.ProcessId;

    public override ProcessCounters? Used => _used;

    public override Func<long> Find(string name) => UrlSession.WayOf(name) is null ? throw Unknown(name) : () => Read(name);

    private long Read(string name)
    {
        string answer = UrlSessionProgram.Ask($"{name} {_source.Address}");
        if (answer.StartsWith("error ", StringComparison.Ordinal))
        {
            throw new IOException(answer["error ".Length..]);
        }

        long[] numbers = [.. answer.Split(' ').Select(number => long.Parse(number, CultureInfo.InvariantCulture))];
        (long sum, long length) = (numbers[0], numbers[1]);
        if (sum != _source.File.Checksum || length != _source.File.Bytes)
        {
            throw new WrongChecksumException(_source.File, length, sum);
        }

        _used = new ProcessCounters
        {
            UserCpuNs = numbers[2],
            SystemCpuNs = numbers[3],
            MinorFaults = numbers[4],
            MajorFaults = numbers[5],
            VoluntarySwitches = numbers[6],
            InvoluntarySwitches = numbers[7],
            LogicalReadBytes = numbers[8],
            PhysicalReadBytes = numbers[9],
            ReadCalls = numbers[10],
            LogicalWriteBytes = numbers[11],
            PhysicalWriteBytes = numbers[12],
            WriteCalls = numbers[13],
        };
        return sum;
    }
}

/// <summary>The program of swift/, compiled once for a compiler and kept, and run once by each process that measures. Thread-safe.</summary>
internal static class UrlSessionProgram
{
    private const string Sources = "Millrace.Lab.Swift.";
    private const string Compiler = "swiftc";

    // It takes seconds.
    private static readonly TimeSpan CompilerLimit = TimeSpan.FromMinutes(5);

    private static readonly Lazy<(string? Program, string? WhyNot)> Compiled = new(Find);
    private static readonly Lock Gate = new();
    private static Process? RunningProgram;

    /// <summary>Why it cannot be run; null when it can. The first call compiles it, where that was not done before.</summary>
    public static string? WhyNot => Compiled.Value.WhyNot;

    public static int? ProcessId
    {
        get
        {
            lock (Gate)
            {
                return RunningProgram?.Id;
            }
        }
    }

    private static string Folder => Path.Combine(DataFolder.Default, "swift");

    /// <summary>Sends a line to the program, which is started before the first one, and ends with this process.</summary>
    /// <exception cref="IOException">It ended. The next line starts it again.</exception>
    public static string Ask(string line)
    {
        lock (Gate)
        {
            RunningProgram ??= new WorkerCommand(Compiled.Value.Program!, []).Start(start => start.Environment["no_proxy"] = "*");
            try
            {
                RunningProgram.StandardInput.WriteLine(line);
                if (RunningProgram.StandardOutput.ReadLine() is { } answer)
                {
                    return answer;
                }
            }
            catch (IOException)
            {
                // It ended before it read the line.
            }

            RunningProgram.WaitForExit();
            int code = RunningProgram.ExitCode;
            RunningProgram.Dispose();
            RunningProgram = null;
            throw new IOException($"The program in Swift ended with exit code {code}.");
        }
    }

    private static (string? Program, string? WhyNot) Find()
    {
        if (OperatingSystem.IsWindows())
        {
            return (null, "their program runs on Linux and macOS");
        }

        string made = Path.Combine(Folder, Compiler);
        return FindBy(Installed.Find(Compiler) ?? (File.Exists(made) ? made : null));
    }

    internal static (string? Program, string? WhyNot) FindBy(string? compiler)
    {
        try
        {
            return compiler is null
                ? (null, $"{Compiler} is not installed: get Swift 6 from https://www.swift.org/install, or on Debian run eng/swift.sh")
                : (Compile(compiler), null);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or LabException)
        {
            return (null, $"{compiler} did not compile them: {exception.Message}");
        }
    }

    // Named after everything that it comes from.
    private static string Compile(string compiler)
    {
        Assembly assembly = typeof(UrlSessionProgram).Assembly;
        string[] names = [.. assembly.GetManifestResourceNames().Where(name => name.StartsWith(Sources, StringComparison.Ordinal)).Order(StringComparer.Ordinal)];
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData(File.ReadAllBytes(compiler));
        DirectoryInfo work = Directory.CreateTempSubdirectory("millrace-swift-");
        try
        {
            foreach (string name in names)
            {
                using Stream source = assembly.GetManifestResourceStream(name)!;
                byte[] text = new byte[source.Length];
                source.ReadExactly(text);
                hash.AppendData(text);
                File.WriteAllBytes(Path.Combine(work.FullName, name[Sources.Length..]), text);
            }

            string program = Path.Combine(Folder, $"url-session-bytes-{Convert.ToHexStringLower(hash.GetHashAndReset().AsSpan(0, 8))}");
            if (!File.Exists(program))
            {
                Run(compiler, ["-O", "-wmo", "-o", "program", .. names.Select(name => name[Sources.Length..])], work.FullName);

                // Beside its place, then renamed: another process may look for it, or make it, too.
                string staged = $"{program}.{Environment.ProcessId}";
                Directory.CreateDirectory(Folder);
                File.Copy(Path.Combine(work.FullName, "program"), staged, overwrite: true);
                File.Move(staged, program, overwrite: true);
            }

            return program;
        }
        finally
        {
            work.Delete(recursive: true);
        }
    }

    private static void Run(string compiler, string[] arguments, string folder)
    {
        try
        {
            CapturedRun run = CapturedRun.Of(new ProcessStartInfo(compiler, arguments) { WorkingDirectory = folder }, CompilerLimit);
            if (run.ExitCode != 0)
            {
                throw new LabException((run.Error + run.Output).Trim());
            }
        }
        catch (System.ComponentModel.Win32Exception exception)
        {
            throw new LabException(exception.Message, exception);
        }
    }
}
