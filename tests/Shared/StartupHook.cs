using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.Json;

/// <summary>
/// Called by the runtime before a command's Main when DOTNET_STARTUP_HOOKS names this assembly. At the command's end it writes how
/// many arrays of one size the shared pool kept; or it refuses native calls; or it calls Main for each line of input instead.
/// The name and the missing namespace are the runtime's.
/// </summary>
[SuppressMessage("Design", "MA0047", Justification = "The runtime looks for it without a namespace.")]
internal static class StartupHook
{
    /// <summary>Names the file to write to.</summary>
    public const string FileVariable = "MILLRACE_TEST_KEPT_ARRAYS";

    /// <summary>Names the assembly whose calls of the C library fail, or the beginning of several names.</summary>
    public const string RefusedVariable = "MILLRACE_TEST_REFUSED_CALLS";

    /// <summary>Makes the process a <c>CommandHost</c>.</summary>
    public const string HostVariable = "MILLRACE_TEST_HOST";

    /// <summary>Written by a host to its output and its errors after each run.</summary>
    public const char End = '\0';

    /// <summary>More than the pool keeps by default of one size, at 32 for each of 16 processors.</summary>
    public const int Rented = 600;

    public static void Initialize()
    {
        if (Environment.GetEnvironmentVariable(FileVariable) is { } file)
        {
            AppDomain.CurrentDomain.ProcessExit += (_, _) =>
                File.WriteAllText(file, CountKept().ToString(CultureInfo.InvariantCulture));
        }

        if (Environment.GetEnvironmentVariable(RefusedVariable) is { } refused)
        {
            AppDomain.CurrentDomain.AssemblyLoad += (_, load) =>
            {
                if (load.LoadedAssembly.GetName().Name!.StartsWith(refused, StringComparison.Ordinal))
                {
                    NativeLibrary.SetDllImportResolver(load.LoadedAssembly, Refuse);
                }
            };
        }

        if (Environment.GetEnvironmentVariable(HostVariable) is not null)
        {
            // Not for the processes that the command starts.
            Environment.SetEnvironmentVariable(HostVariable, null);
            Environment.SetEnvironmentVariable("DOTNET_STARTUP_HOOKS", null);
            RunEachLine();
            Environment.Exit(0);
        }
    }

    private static void RunEachLine()
    {
        MethodInfo main = Assembly.GetEntryAssembly()!.EntryPoint!;
        using var lines = new StreamReader(Console.OpenStandardInput());
        Console.SetIn(TextReader.Null);
        while (lines.ReadLine() is { } line)
        {
            string[] words = JsonSerializer.Deserialize<string[]>(line)!;
            Environment.CurrentDirectory = words[0];
            Environment.SetEnvironmentVariable("XDG_STATE_HOME", words[1]);
            object? exitCode = main.Invoke(null, BindingFlags.DoNotWrapExceptions, binder: null, [words[2..]], CultureInfo.InvariantCulture);
            Environment.CurrentDirectory = AppContext.BaseDirectory;
            Console.Error.Write(End);
            Console.Out.Write($"{End}{exitCode}\n");
        }
    }

    private static nint Refuse(string name, Assembly assembly, DllImportSearchPath? path) =>
        name == "libc" ? throw new EntryPointNotFoundException($"{assembly.GetName().Name} is not to call the C library.") : 0;

    private static int CountKept()
    {
        const int Bytes = 256 * 1024;
        byte[][] rented = [.. Enumerable.Range(0, Rented).Select(_ => ArrayPool<byte>.Shared.Rent(Bytes))];
        var known = rented.ToHashSet();

        // A collection that the arrays have caused lets the pool drop some where memory is short.
        GC.WaitForPendingFinalizers();
        foreach (byte[] array in rented)
        {
            ArrayPool<byte>.Shared.Return(array);
        }

        return Enumerable.Range(0, Rented).Count(_ => known.Contains(ArrayPool<byte>.Shared.Rent(Bytes)));
    }
}
