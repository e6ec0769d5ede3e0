using System.Runtime.InteropServices;
using Millrace.Sources;

namespace Millrace.Tests.Mapped;

/// <summary>Consumers that decode in the memory that they were given, as ASP.NET Core's form reader does.</summary>
public sealed class ChangedInPlaceTests
{
    private const int Size = (2 * MappedSource.WindowBytes) + 777;

    [Theory, EveryValue]
    public async Task Bytes_changed_in_place_change_neither_the_file_nor_what_follows(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(Size);
        await using FilePipeReader reader = TestReader.Open(path, strategy, portable);
        long changed = 0;
        while (changed < Size)
        {
            ReadResult result = await reader.ReadAsync();
            result.AssertStarts(changed);
            Change(result);
            changed += result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.End);
        }

        reader.Seek(0);
        await reader.AssertRestAsync(0, Size);
        Assert.Equal(TestContent.Of(Size).ToArray(), await File.ReadAllBytesAsync(path));
    }

    [MappedFact]
    public async Task Bytes_can_be_changed_in_place_while_others_truncate_the_file()
    {
        string path = TestFolder.NewFile(Size);
        await using FilePipeReader reader = Mapping.OpenMapped(path);
        ReadResult held = await reader.HoldAsync(MappedSource.WindowBytes);
        Change(held);

        await Task.Factory.StartNew(
            () => Writers.OpenTruncating(path), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Soon();

        Change(held);
        reader.AdvanceTo(held.Buffer.End);
        await Fails.WithAsync(FilePipeError.Truncated, () => reader.ReadAsync().Soon());
    }

    private static void Change(in ReadResult result)
    {
        foreach (ReadOnlyMemory<byte> segment in result.Buffer)
        {
            MemoryMarshal.AsMemory(segment).Span.Fill(0xA5);
        }
    }
}
