using System.Reflection;
using System.Security.Cryptography;

namespace Millrace.Lab.GrpcCore;

/// <summary>
/// The program of gRPC's C++ core, whose source is in this assembly: compiled once into the laboratory's folder, where the
/// compiler and the library are installed.
/// </summary>
internal static class CoreProgram
{
    private const string Packages =
        "g++ pkg-config libgrpc++-dev libprotobuf-dev libssl-dev protobuf-compiler protobuf-compiler-grpc";

    private const string Resources = "Millrace.Lab.GrpcCore/";
    private const string Source = "millrace_grpc_core.cc";
    private const string ProtoSuffix = ".proto";
    private const string ProgramName = "millrace_grpc_core";
    private const string ProblemName = "problem.txt";

    private static readonly string[] Libraries = ["grpc++", "protobuf", "libcrypto"];
    private static readonly string[] Tools = ["g++", "protoc", "grpc_cpp_plugin", "pkg-config"];

    public static void Make(string data)
    {
        if (NotHere.Value is not null || File.Exists(PathIn(data)))
        {
            return;
        }

        string folder = FolderIn(data);
        string[] names = [.. WriteSources(folder)];
        string[] protos = [.. names.Where(name => name.EndsWith(ProtoSuffix, StringComparison.Ordinal))];
        string? problem = Run(
            folder, "protoc", ["-I", ".", "--cpp_out=.", "--grpc_out=.", $"--plugin=protoc-gen-grpc={Find("grpc_cpp_plugin")}", .. protos], out _)
            ?? Run(folder, "pkg-config", ["--cflags", "--libs", .. Libraries], out string flags)
            ?? Compile(folder, protos, flags);
        File.WriteAllText(Path.Combine(folder, ProblemName), problem ?? "");
    }

    public static string PathIn(string data) => Path.Combine(FolderIn(data), ProgramName);

    public static string? WhyNot(string data)
    {
        if (NotHere.Value is { } reason)
        {
            return reason;
        }

        if (File.Exists(PathIn(data)))
        {
            return null;
        }

        string problem = Path.Combine(FolderIn(data), ProblemName);
        return File.Exists(problem) ? $"it could not be compiled: {File.ReadAllText(problem)}" : "it was not compiled";
    }

    // Both run programs, and neither changes while a process runs.
    private static readonly Lazy<string?> NotHere = new(() =>
        OperatingSystem.IsLinux() && Array.TrueForAll(Tools, tool => Find(tool) is not null)
        && Run(Path.GetTempPath(), "pkg-config", ["--exists", .. Libraries], out _) is null
            ? null
            : $"it needs what Debian installs with 'apt-get install {Packages}'");

    private static readonly Lazy<string> Version = new(HashOfSources);

    private static string? Compile(string folder, string[] protos, string flags)
    {
        IEnumerable<string> generated = protos.Select(name => name[..^ProtoSuffix.Length])
            .SelectMany(name => new[] { name + ".pb.cc", name + ".grpc.pb.cc" });

        // To another name first: a killed compiler's output is not taken for the program.
        const string Unfinished = ProgramName + ".new";
        string? problem = Run(
            folder,
            "g++",
            ["-std=c++17", "-O2", "-I", ".", Source, .. generated, .. flags.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries), "-o", Unfinished],
            out _);
        if (problem is null)
        {
            File.Move(Path.Combine(folder, Unfinished), Path.Combine(folder, ProgramName), overwrite: true);
        }

        return problem;
    }

    // A folder for each source and library: an older program is another one.
    private static string FolderIn(string data) => Path.Combine(data, "millrace-grpc-core", Version.Value);

    private static string HashOfSources()
    {
        _ = Run(Path.GetTempPath(), "pkg-config", ["--modversion", .. Libraries], out string versions);
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData(System.Text.Encoding.UTF8.GetBytes(versions));
        foreach (string name in Names())
        {
            using Stream stream = Open(name);
            byte[] content = new byte[stream.Length];
            stream.ReadExactly(content);
            hash.AppendData(content);
        }

        const int Characters = 16;
        return Convert.ToHexStringLower(hash.GetHashAndReset())[..Characters];
    }

    private static IEnumerable<string> WriteSources(string folder)
    {
        foreach (string name in Names())
        {
            string path = Path.Combine(folder, name);
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            using Stream source = Open(name);
            using FileStream copy = File.Create(path);
            source.CopyTo(copy);
            yield return name;
        }
    }

    private static IEnumerable<string> Names() => typeof(CoreProgram).Assembly.GetManifestResourceNames()
        .Where(name => name.StartsWith(Resources, StringComparison.Ordinal))
        .Select(name => name[Resources.Length..])
        .Order(StringComparer.Ordinal);

    private static Stream Open(string name) =>
        Assembly.GetExecutingAssembly().GetManifestResourceStream(Resources + name)!;

    private static string? Find(string tool) =>
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
            .Select(folder => Path.Combine(folder, tool))
            .FirstOrDefault(File.Exists);

    /// <returns>Its error output; null when it succeeded.</returns>
    private static string? Run(string folder, string tool, IEnumerable<string> arguments, out string output)
    {
        var start = new ProcessStartInfo(tool, arguments)
        {
            WorkingDirectory = folder,
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        try
        {
            using Process process = Process.Start(start)!;
            Task<string> errors = process.StandardError.ReadToEndAsync();
            output = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0 ? null : $"{tool} ended with exit code {process.ExitCode}: {errors.GetAwaiter().GetResult().Trim()}";
        }
        catch (System.ComponentModel.Win32Exception exception)
        {
            output = "";
            return $"{tool} could not be started: {exception.Message}";
        }
    }
}
