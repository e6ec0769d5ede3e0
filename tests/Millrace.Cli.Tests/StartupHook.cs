using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

/// <summary>
/// What the runtime calls before a command's Main when DOTNET_STARTUP_HOOKS names this assembly: at the command's end it
/// writes down how many arrays of one size the shared pool kept. The name and the missing namespace are the runtime's.
/// </summary>
[SuppressMessage("Design", "MA0047", Justification = "The runtime looks for it without a namespace.")]
internal static class StartupHook
{
    /// <summary>Names the file to write to.</summary>
    public const string FileVariable = "MILLRACE_TEST_KEPT_ARRAYS";

    /// <summary>More than the pool keeps by default of one size, at 32 for each of 16 processors.</summary>
    public const int Rented = 600;

    public static void Initialize()
    {
        if (Environment.GetEnvironmentVariable(FileVariable) is { } file)
        {
            AppDomain.CurrentDomain.ProcessExit += (_, _) =>
                File.WriteAllText(file, CountKept().ToString(CultureInfo.InvariantCulture));
        }
    }

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
