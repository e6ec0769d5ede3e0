namespace Millrace.Tests.Properties;

/// <summary>One random case: a file, how it is read, and the calls on the reader.</summary>
internal sealed record ReaderCase(int FileLength, FileReadOptions Options, IReadOnlyList<Operation> Operations)
{
    /// <summary>Whether it is a FIFO, whose bytes come while it is read. It has no positions, so no operation seeks.</summary>
    public bool IsFifo { get; init; }

    public override string ToString() => $"""

        {(IsFifo ? "FIFO" : "file")} of {FileLength} bytes, from {Options.Offset}, length {Options.Length?.ToString() ?? "all"}
        {FilePipeFactory.Describe(Options)}
        {string.Join("\n", Operations.Select(operation => $"  {operation}"))}
        """;
}
