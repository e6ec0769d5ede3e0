namespace Millrace.Tests.Sources;

/// <summary>Character devices.</summary>
public sealed class DeviceTests
{
    [NeedsTheory(Need.Unix), EveryValue]
    public async Task The_null_device_is_empty(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open("/dev/null", strategy, portable, null);

        await reader.AssertRestAsync(0, 0);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task A_part_of_an_endless_device_ends(ReadStrategy strategy, bool portable)
    {
        const int Length = (1024 * 1024) + 3;
        await using FilePipeReader reader = Open("/dev/zero", strategy, portable, Length);

        byte[] bytes = await reader.ReadToEndAsync();

        Assert.Equal(Length, bytes.Length);
        Assert.False(bytes.AsSpan().ContainsAnyExcept((byte)0));
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task An_endless_device_is_read_until_the_reader_stops(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open("/dev/zero", strategy, portable, null);

        ReadResult result = await reader.HoldAsync(2_000_000);

        Assert.False(result.IsCompleted);
        Assert.False(result.Buffer.FirstSpan.ContainsAnyExcept((byte)0));
    }

    private static FilePipeReader Open(string path, ReadStrategy strategy, bool portable, long? length) =>
        TestReader.Open(path, strategy, portable, new FileReadOptions { Length = length, Share = FileShare.ReadWrite });
}
