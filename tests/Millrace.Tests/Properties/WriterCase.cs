namespace Millrace.Tests.Properties;

/// <summary>A way to write, and what is done.</summary>
internal sealed record WriterCase(string Kind, IReadOnlyList<WriterStep> Steps)
{
    public override string ToString() => $"{Kind}: {string.Join(", ", Steps)}";
}
