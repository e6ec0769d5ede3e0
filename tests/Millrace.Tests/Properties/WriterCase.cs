namespace Millrace.Tests.Properties;

/// <summary>A method of writing, and its calls.</summary>
internal sealed record WriterCase(string Kind, IReadOnlyList<WriterStep> Steps)
{
    public override string ToString() => $"{Kind}: {string.Join(", ", Steps)}";
}
