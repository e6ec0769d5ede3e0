using Millrace.Interop;

namespace Millrace.Tests.Mapped;

/// <summary>Helpers for the tests of <see cref="ReadStrategy.Mapped"/>.</summary>
internal static class Mapping
{
    /// <summary>
    /// Whether files of <see cref="TestFolder"/> can be mapped in this process; where not, they are read, which the
    /// contract suite covers.
    /// </summary>
    public static bool Possible { get; } = NativeFeatures.Mapping && MemoryMap.CanPopulate && IsLocal();

    public static FilePipeReader Open(string path, FileReadOptions options = default) =>
        FilePipe.OpenRead(path, options with { Strategy = ReadStrategy.Mapped });

    /// <summary>Opens a file and asserts that it is mapped.</summary>
    public static FilePipeReader OpenMapped(string path, FileReadOptions options = default)
    {
        FilePipeReader reader = Open(path, options);
        Assert.Equal("asked for", reader.StrategyReason);
        Assert.Equal(ReadStrategy.Mapped, reader.Strategy);
        return reader;
    }

    /// <returns>Why nothing is mapped here; null when files are.</returns>
    public static string? Missing(Need needs) =>
        Needs.Missing(needs) ?? (Possible ? null : "Files of the tests' folder cannot be mapped in this process.");

    private static bool IsLocal()
    {
        using Microsoft.Win32.SafeHandles.SafeFileHandle file = File.OpenHandle(TestFolder.SharedFile(1));
        return FileSystemKind.IsLocal(file);
    }
}
