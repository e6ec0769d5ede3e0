using Millrace.Interop;

namespace Millrace.Tests.Costs;

/// <summary>What walking over a file leaves to the garbage collector: the same, however long the file is.</summary>
[Collection(ProcessWide.Name)]
public sealed class SequenceAllocationTests
{
    private const int MiB = 1024 * 1024;

    // Opening and closing the file, the enumerator, and the loop's own task.
    private const int MaxBytes = 2 * 1024;

    private static readonly Dictionary<string, Func<FilePipeReader, ValueTask<long>>> Walks = new()
    {
        ["bytes"] = BytesAsync,
        ["segments"] = SegmentsAsync,
        ["lines"] = LinesAsync,
        ["records of 8 bytes"] = reader => RecordsAsync<long>(reader, ByteOrder.LittleEndian),
        ["records of 12 bytes, turned around"] = reader => RecordsAsync<Sequences.RecordOf12>(reader, ByteOrder.BigEndian),
        ["ForEachSegmentAsync"] = static reader => reader.ForEachSegmentAsync(static _ => { }),
    };

    public static TheoryData<string, int> Cases()
    {
        var cases = new TheoryData<string, int>();
        foreach (string walk in Walks.Keys)
        {
            // Divisible by the records' sizes.
            cases.Add(walk, 24 * (8 * MiB / 24));
            cases.Add(walk, 24 * (32 * MiB / 24));
        }

        return cases;
    }

    [NeedsTheory(Need.Release | Need.Wine, "makes .NET allocate more"), MemberData(nameof(Cases))]
    public void An_iteration_over_a_file_in_memory_allocates_at_most_2_KiB(string walk, int length)
    {
        string path = FileOf(length);
        var options = new FileReadOptions { Strategy = ReadStrategy.Buffered };

        // Portably every block is waited for, which is a task for this test's own thread to wait on.
        int most = NativeFeatures.Linux ? MaxBytes : 2 * MaxBytes;

        long least = Least.Of(Least.AllocatedBytes, most, () => WalkOver(path, options, Walks[walk], length));

        Assert.InRange(least, 0, most);
    }

    private static void WalkOver(
        string path, in FileReadOptions options, Func<FilePipeReader, ValueTask<long>> walk, int length)
    {
        using FilePipeReader reader = FilePipe.OpenRead(path, options);
        ValueTask<long> walking = walk(reader);
        long count = walking.IsCompletedSuccessfully ? walking.Result : walking.AsTask().GetAwaiter().GetResult();
        if (count == 0 || reader.Position != length)
        {
            // An assertion would allocate.
            throw new InvalidOperationException("The file was not walked to its end.");
        }
    }

    private static string FileOf(int length)
    {
        if (length <= TestContent.MaxLength)
        {
            return TestFolder.SharedFile(length);
        }

        string path = TestFolder.NewPath();
        using FileStream file = File.Create(path);
        for (int written = 0; written < length; written += TestContent.MaxLength)
        {
            file.Write(TestContent.Of(Math.Min(TestContent.MaxLength, length - written)).Span);
        }

        return path;
    }

    private static async ValueTask<long> BytesAsync(FilePipeReader reader)
    {
        long count = 0;
        await foreach (byte _ in reader.ReadBytesAsync())
        {
            count++;
        }

        return count;
    }

    private static async ValueTask<long> SegmentsAsync(FilePipeReader reader)
    {
        long count = 0;
        await foreach (ReadOnlyMemory<byte> _ in reader.ReadSegmentsAsync())
        {
            count++;
        }

        return count;
    }

    private static async ValueTask<long> LinesAsync(FilePipeReader reader)
    {
        long count = 0;
        await foreach (ReadOnlyMemory<byte> _ in reader.ReadLinesAsync())
        {
            count++;
        }

        return count;
    }

    private static async ValueTask<long> RecordsAsync<T>(FilePipeReader reader, ByteOrder byteOrder)
        where T : unmanaged
    {
        long count = 0;
        await foreach (T _ in reader.ReadRecordsAsync<T>(byteOrder))
        {
            count++;
        }

        return count;
    }
}
