using System.IO.Pipelines;
using System.Runtime.InteropServices;

namespace Millrace.Tests.Child;

/// <summary>Writes, appends to, copies and reads files at random, from and into memory that it names first.</summary>
internal sealed class RandomCalls(string folder, int seed)
{
    /// <summary>How files end that are also read into the memory of a pipe.</summary>
    public const string Whole = ".whole";

    private const int Files = 12;
    private const int Steps = 25;
    private const int MemoryBytes = 2 * 1024 * 1024;
    private const int MaxSmall = 100_000;
    private const int MaxLarge = 700_000;
    private const int Page = 4096;

    private static readonly string[] Kinds = ["Buffered", "WriteBehind", "Preallocated", "EveryFlush", "Direct", "Portable"];
    private static readonly ReadStrategy[] Strategies = [ReadStrategy.Buffered, ReadStrategy.ReadAhead, ReadStrategy.Auto];

    // The caller's own memory, which Millrace does not place.
    private readonly byte[] _memory = GC.AllocateArray<byte>(MemoryBytes, pinned: true);
    private readonly Random _random = new(seed);
    private long _address;

    public async Task RunAsync()
    {
        _address = Marshal.UnsafeAddrOfPinnedArrayElement(_memory, 0);
        Console.WriteLine($"{_address} {MemoryBytes}");
        for (int file = 0; file < Files; file++)
        {
            string path = Path.Combine(folder, $"written{file}");
            await WriteAsync(path, Kinds[file % Kinds.Length]);
            await AppendAsync(Path.Combine(folder, $"appended{file}"));
            await ReadAsync(path);
            await CopyAsync(path);
        }
    }

    private async Task WriteAsync(string path, string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(path);
        for (int step = 0; step < Steps; step++)
        {
            switch (_random.Next(5))
            {
                case 0:
                    await writer.WriteAsync(Chunk(MaxSmall, writer.Position));
                    break;
                case 1:
                    await writer.WriteAsync(Chunk(MaxLarge, writer.Position));
                    break;
                case 2:
                    writer.Advance(_random.Next(writer.GetMemory(_random.Next(MaxSmall)).Length));
                    break;
                case 3:
                    await writer.WriteThroughAsync(new(Chunk(MaxLarge, writer.Position)));
                    break;
                default:
                    await writer.FlushAsync();
                    break;
            }
        }

        await writer.CommitAsync();
    }

    private async Task AppendAsync(string path)
    {
        await using FileAppendWriter writer = FilePipe.Append(path, new FileAppendOptions { Durability = Durability.None });
        for (int step = 0; step < Steps; step++)
        {
            if (_random.Next(2) == 0)
            {
                await writer.WriteAsync(Chunk(MaxSmall, writer.AcceptedBytes));
            }
            else
            {
                writer.Advance(_random.Next(writer.GetMemory(_random.Next(MaxSmall)).Length));
                await writer.FlushAsync();
            }
        }
    }

    private async Task ReadAsync(string path)
    {
        long begin = _random.NextInt64(MaxLarge);
        await using FilePipeReader reader = FilePipe.OpenRead(path, new FileReadOptions
        {
            Offset = begin,
            BufferSize = _random.Next(1, MaxLarge),
            Strategy = Strategies[_random.Next(Strategies.Length)],
        });
        for (int step = 0; step < Steps; step++)
        {
            ReadResult result = await reader.ReadAsync();
            reader.AdvanceTo(result.Buffer.GetPosition(_random.NextInt64(result.Buffer.Length + 1)), result.Buffer.End);
            if (_random.Next(3) == 0)
            {
                reader.Seek(begin + _random.NextInt64(MaxLarge));
            }
        }
    }

    private async Task CopyAsync(string path)
    {
        using var portable = FilePipe.OpenRead(path, new FileReadOptions { Portable = true, Offset = _random.Next(3) * Page });
        await using FilePipeWriter copy = WriterKind.Of("Buffered").Create(path + ".copy");
        await portable.CopyToAsync(copy);
        await copy.CommitAsync();
        await FilePipe.CopyAsync(path, path + Whole, new FileCopyOptions { Portable = true });
        using FilePipeReader reader = FilePipe.OpenRead(path + Whole, new FileReadOptions { Offset = _random.Next(Page) });
        await reader.CopyToAsync(PipeWriter.Create(Stream.Null));
    }

    /// <summary>A part of the memory, half of them just so far out of step that writing them would be slow.</summary>
    private ReadOnlyMemory<byte> Chunk(int max, long position)
    {
        int start = (_random.Next(1, 200) * Page) + (int)((position - _address) % Page) + _random.Next(-20, 20);
        return _memory.AsMemory(start, _random.Next(max));
    }
}
