namespace Millrace.Tests.Properties;

/// <summary>One random case: a file, how it is read, and what is done with the reader.</summary>
internal sealed record ReaderCase(int FileLength, FileReadOptions Options, IReadOnlyList<Operation> Operations)
{
    public override string ToString() => $"""

        file of {FileLength} bytes, from {Options.Offset}, length {Options.Length?.ToString() ?? "all"}
        {FilePipeFactory.Describe(Options)}
        {string.Join("\n", Operations.Select(operation => $"  {operation}"))}
        """;
}
