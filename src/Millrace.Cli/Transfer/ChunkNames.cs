using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>What ways of handling a chunk are called on the command line.</summary>
internal static class ChunkNames
{
    private static readonly (string Name, ChunkHandling Handling)[] Handlings =
    [
        ("direct", ChunkHandling.Direct),
        ("rented", ChunkHandling.RentedArray),
        ("array", ChunkHandling.ByteArray),
    ];

    /// <summary>All of them, the usual one first.</summary>
    public static IReadOnlyList<string> All { get; } = [.. Handlings.Select(each => each.Name)];

    /// <summary>The way of a name.</summary>
    public static ChunkHandling Parse(string name) => Handlings.First(each => each.Name == name).Handling;
}
