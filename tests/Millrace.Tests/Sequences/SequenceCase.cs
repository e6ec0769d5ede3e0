namespace Millrace.Tests.Sequences;

/// <summary>One random case: content, how it comes, and walks one after the other.</summary>
internal sealed record SequenceCase(
    string Source, byte[] Content, IReadOnlyList<int> Pieces, IReadOnlyList<SequenceWalk> Walks)
{
    public override string ToString() => $"""

        {Source}, {Content.Length} bytes in pieces of {string.Join(", ", Pieces)}
        {Convert.ToHexString(Content)}
        {string.Join("\n", Walks.Select(walk => $"  {walk}"))}
        """;
}
