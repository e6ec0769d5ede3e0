using Millrace.Sources;

namespace Millrace.Tests.Direct;

/// <summary>The bytes are those of the file, wherever reading begins and ends.</summary>
public class DirectBytesTests
{
    private const int Block = 256 * 1024;
    private const int Queue = Block * DirectEngine.BlocksInFlight;

    public static TheoryData<string> Engines => DirectReaders.EngineData;

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task A_file_of_any_size_is_read_to_its_end(string engine)
    {
        int[] sizes =
            [0, 1, 511, 4095, 4096, 4097, Block - 1, Block, Block + 1, Queue - 1, Queue, Queue + 1, (3 * Queue) + 12345];
        foreach (int size in sizes)
        {
            using FilePipeReader reader = DirectReaders.Open(engine, DirectReaders.NewFile(size));

            await reader.AssertRestAsync(0, size);
        }
    }

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task Only_the_requested_part_is_read(string engine)
    {
        const int Size = (2 * Queue) + 777;
        string path = DirectReaders.NewFile(Size);
        foreach (int offset in new[] { 1, 4095, 4096, Block - 1, Block + 513, Size + 5000 })
        {
            foreach (int length in new[] { 0, 1, 4096, Block, Queue + 1, int.MaxValue })
            {
                var options = new FileReadOptions { Offset = offset, Length = length };
                using FilePipeReader reader = DirectReaders.Open(engine, path, options);

                await reader.AssertRestAsync(Math.Min(Size, offset), Math.Min(Size, (long)offset + length));
            }
        }
    }

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task Seeking_with_blocks_in_flight_reads_the_right_bytes(string engine)
    {
        const int Size = (2 * Queue) + 4321;
        using FilePipeReader reader = DirectReaders.Open(engine, DirectReaders.NewFile(Size));
        var random = new Random(7);
        for (int i = 0; i < 300; i++)
        {
            int offset = random.Next(Size);
            reader.Seek(offset);
            ReadResult result = await reader.ReadAsync().Soon();
            result.AssertStarts(offset);
            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        }

        reader.Seek(12_345);
        await reader.AssertRestAsync(12_345, Size);
    }

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task A_record_longer_than_all_blocks_in_flight_is_buffered(string engine)
    {
        const int Size = 3 * Queue;
        using FilePipeReader reader = DirectReaders.Open(engine, DirectReaders.NewFile(Size));
        ReadResult result = await reader.ReadAtLeastAsync((2 * Queue) + 1).Soon();
        result.AssertStarts(0, (2 * Queue) + 1);
        reader.AdvanceTo(result.Buffer.Start);
        await reader.AssertRestAsync(0, Size);
    }

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public void Read_waits_on_the_calling_thread(string engine)
    {
        const int Size = Queue + 99;
        using FilePipeReader reader = DirectReaders.Open(engine, DirectReaders.NewFile(Size));
        long offset = 0;
        while (true)
        {
            ReadResult result = reader.Read();
            result.AssertStarts(offset, 0);
            offset += result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                break;
            }
        }

        Assert.Equal(Size, offset);
    }
}
