namespace Millrace.Tests.Docs;

/// <summary>The code in docs/sequences.md compiles and works as described.</summary>
public sealed class SequencesTests
{
    [Fact]
    public async Task The_sample_of_bytes_sums_them() =>
        Assert.Equal(
            TestContent.Of(1_000).ToArray().Sum(value => (long)value),
            await SequencesSample.SumAsync(TestFolder.SharedFile(1_000)).Soon());

    [Fact]
    public async Task The_sample_of_a_delegate_counts_bytes() =>
        Assert.Equal(
            TestContent.Of(10_000).ToArray().Count(value => value == 7),
            await SequencesSample.CountAsync(TestFolder.SharedFile(10_000), 7).Soon());

    [Fact]
    public async Task The_sample_of_lines_reads_a_header_and_a_body()
    {
        PipeReader reader = PipeReader.Create(new(Text.Bytes("Host: here\r\nLength: 6\r\n\r\nbody\r\n")));

        (List<string> header, int body) = await SequencesSample.ReadMessageAsync(reader).Soon();

        Assert.Equal(["Host: here", "Length: 6"], header);
        Assert.Equal(6, body);
    }

    [Fact]
    public async Task The_sample_of_records_reads_them_in_network_order()
    {
        using var stream = new MemoryStream([
            0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 2,
            0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 1, 0]);

        Assert.Equal((256 * 2) + 256, await SequencesSample.VolumeAsync(stream).Soon());
    }
}
