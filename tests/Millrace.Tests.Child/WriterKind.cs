using System.Buffers;

namespace Millrace.Tests.Child;

/// <summary>A way to write that every test of the contract runs on; named by a string so that the runner shows it.</summary>
internal sealed record WriterKind(string Name, FileWriteOptions Options)
{
    /// <summary>All of them. Direct falls back to Buffered on a file system without it, and reports it.</summary>
    public static IReadOnlyList<WriterKind> All { get; } =
    [
        new("Buffered", new FileWriteOptions { Strategy = WriteStrategy.Buffered, Durability = Durability.None }),
        new("WriteBehind", new FileWriteOptions { Strategy = WriteStrategy.WriteBehind }),
        new("Direct", new FileWriteOptions { Strategy = WriteStrategy.Direct, Durability = Durability.None }),
        new("EveryFlush", new FileWriteOptions { Durability = Durability.EveryFlush }),
        new("DirectEveryFlush", new FileWriteOptions { Strategy = WriteStrategy.Direct, Durability = Durability.EveryFlush }),
        new("Preallocated", new FileWriteOptions { PreallocationSize = 3_000_000, ComputeSha256 = true }),
        new("Portable", new FileWriteOptions { Portable = true }),
        new("PortableEveryFlush", new FileWriteOptions { Portable = true, Durability = Durability.EveryFlush }),
    ];

    public static WriterKind Of(string name) => All.Single(kind => kind.Name == name);

    public FilePipeWriter Create(string path, MemoryPool<byte>? pool = null) =>
        FilePipe.Create(path, Options with { Pool = pool });
}
