using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Sources;

/// <summary>Files over 4 GiB: offsets that do not fit 32 bits. The file is a hole with a few markers in it.</summary>
public sealed class SparseFileTests(SparseFileTests.SparseFile file) : IClassFixture<SparseFileTests.SparseFile>
{
    private const long GiB = 1024L * 1024 * 1024;
    private const long Length = (6 * GiB) + 4_321;
    private const int MarkerLength = 1_000;

    private static readonly long[] Markers =
    [
        17, (2 * GiB) - 3, (4 * GiB) - 501, (4 * GiB) + 12_345, (5 * GiB) + 262_143, Length - MarkerLength,
    ];

    [Theory, EveryValue]
    public async Task Seeking_reads_at_the_right_offsets(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = TestReader.Open(file.Path, strategy, portable, new FileReadOptions { BufferSize = 4096 });
        Assert.Equal(Length, reader.Length);
        foreach (long marker in Markers.Reverse())
        {
            // From a little before, so that the place is right and not just the bytes.
            reader.Seek(marker - 10);
            ReadResult result = await reader.HoldAsync(MarkerLength + 10);
            AssertMarker(result, zerosBefore: 10);
            reader.AdvanceTo(result.Buffer.GetPosition(MarkerLength + 10));
            Assert.Equal(marker + MarkerLength, reader.Position);
        }
    }

    [Theory, EveryValue]
    public async Task Parts_are_read_at_the_right_offsets(ReadStrategy strategy, bool portable)
    {
        foreach (long marker in Markers)
        {
            await using FilePipeReader reader = TestReader.Open(
                file.Path, strategy, portable, new FileReadOptions { Offset = marker - 1, Length = MarkerLength + 1 });

            ReadResult result = await reader.ReadAtLeastAsync(MarkerLength + 2).Soon();

            Assert.True(result.IsCompleted);
            Assert.Equal(MarkerLength + 1, result.Buffer.Length);
            AssertMarker(result, zerosBefore: 1);
        }
    }

    [Theory, EveryValue]
    public async Task Reading_continues_across_4_GiB(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = TestReader.Open(
            file.Path, strategy, portable, new FileReadOptions { Offset = (4 * GiB) - 3_000_001, Length = 6_000_002 });

        byte[] bytes = await reader.ReadToEndAsync();

        Assert.Equal(6_000_002, bytes.Length);
        ReaderExtensions.AssertContent(0, MarkerLength, bytes.AsSpan(3_000_001 - 501, MarkerLength));
        ReaderExtensions.AssertContent(0, MarkerLength, bytes.AsSpan(3_000_001 + 12_345, MarkerLength));
        Assert.Equal(2 * MarkerLength, bytes.Length - bytes.AsSpan().Count((byte)0) + ZerosInMarkers(2));
    }

    [Theory, EveryValue]
    public async Task The_end_is_found_at_the_right_offset(ReadStrategy strategy, bool portable)
    {
        var options = new FileReadOptions { Offset = Length - MarkerLength };
        await using FilePipeReader reader = TestReader.Open(file.Path, strategy, portable, options);

        await reader.AssertRestAsync(0, MarkerLength);

        Assert.Equal(Length, reader.Position);
    }

    private static int ZerosInMarkers(int markers) => markers * TestContent.Of(MarkerLength).Span.Count((byte)0);

    private static void AssertMarker(ReadResult result, int zerosBefore)
    {
        Assert.False(result.Buffer.FirstSpan[..zerosBefore].ContainsAnyExcept((byte)0));
        ReaderExtensions.AssertContent(0, MarkerLength, result.Buffer.FirstSpan.Slice(zerosBefore, MarkerLength));
    }

    /// <summary>The file, a few blocks on the disk.</summary>
    public sealed class SparseFile : IDisposable
    {
        public string Path { get; } = TestFolder.NewPath();

        public SparseFile()
        {
            using SafeFileHandle handle = File.OpenHandle(Path, FileMode.CreateNew, FileAccess.Write);
            RandomAccess.SetLength(handle, Length);
            foreach (long marker in Markers)
            {
                RandomAccess.Write(handle, TestContent.Of(MarkerLength).Span, marker);
            }
        }

        public void Dispose() => File.Delete(Path);
    }
}
