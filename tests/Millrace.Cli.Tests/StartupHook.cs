using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;

/// <summary>
/// What the runtime calls before a command's Main when DOTNET_STARTUP_HOOKS names this assembly. At the command's end it writes how
/// many arrays of one size the shared pool kept; or it refuses native calls. The name and the missing namespace are the runtime's.
/// </summary>
[SuppressMessage("Design", "MA0047", Justification = "The runtime looks for it without a namespace.")]
internal static class StartupHook
{
    /// <summary>Names the file to write to.</summary>
    public const string FileVariable = "MILLRACE_TEST_KEPT_ARRAYS";

    /// <summary>Names the assembly whose calls of the C library fail, or the beginning of several names.</summary>
    public const string RefusedVariable = "MILLRACE_TEST_REFUSED_CALLS";

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
    }

    private static nint Refuse(string name, Assembly assembly, DllImportSearchPath? path) =>
        name == "libc" ? throw new EntryPointNotFoundException($"{assembly.GetName().Name} is not to call the C library.") : 0;

    private static int CountKept()
    {
        const int Bytes = 256 * 1024;
        byte[][] rented = [.. Enumerable.Range(0, Rented).Select(_ => ArrayPool<byte>.Shared.Rent(Bytes))];
        var known = rented.ToHashSet();
        foreach (byte[] array in rented)
        {
            ArrayPool<byte>.Shared.Return(array);
        }

        return Enumerable.Range(0, Rented).Count(_ => known.Contains(ArrayPool<byte>.Shared.Rent(Bytes)));
    }
}
