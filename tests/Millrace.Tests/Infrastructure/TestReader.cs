namespace Millrace.Tests.Infrastructure;

/// <summary>Opens files with one strategy, natively or portably.</summary>
internal static class TestReader
{
    public static FilePipeReader Open(string path, ReadStrategy strategy, bool portable, FileReadOptions options = default) =>
        FilePipe.OpenRead(path, options with { Strategy = strategy, Portable = portable });
}
