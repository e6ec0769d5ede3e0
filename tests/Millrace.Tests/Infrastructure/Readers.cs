using System.Collections.Frozen;

namespace Millrace.Tests.Infrastructure;

/// <summary>Every reader that the contract is run against.</summary>
internal static class Readers
{
    /// <summary>
    /// Whatever is in memory; a byte at a time; a page. What lies between behaves like one of them; the sizes at which
    /// a reader changes its behaviour have separate tests.
    /// </summary>
    private static readonly int[] BufferSizes = [0, 1, 4096];

    private static readonly FrozenDictionary<string, ReaderFactory> ByName =
        FilePipes(BufferSizes)
            .Concat<ReaderFactory>(Followers())
            .Append(new StreamReaderFactory())
            .Append(new SequenceReaderFactory())
            .ToFrozenDictionary(factory => factory.Name);

    public static IEnumerable<ReaderFactory> All => ByName.Values;

    public static ReaderFactory Get(string name) => ByName[name];

    /// <summary>All strategies, native and portable, at these buffer sizes.</summary>
    public static IEnumerable<FilePipeFactory> FilePipes(params int[] bufferSizes) =>
        from strategy in Enum.GetValues<ReadStrategy>()
        from portable in new[] { false, true }
        from bufferSize in bufferSizes
        select new FilePipeFactory(
            new FileReadOptions { Strategy = strategy, Portable = portable, BufferSize = bufferSize });

    private static IEnumerable<FollowFactory> Followers() =>
        from mode in new[] { FollowMode.Descriptor, FollowMode.Name }
        from portable in new[] { false, true }
        select new FollowFactory(mode, portable);
}
