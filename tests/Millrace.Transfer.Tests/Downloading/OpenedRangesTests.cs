using System.Text;

namespace Millrace.Transfer.Tests.Downloading;

/// <summary>Several parts in one response: read however they come, and refused where they cannot be separated.</summary>
public sealed class OpenedRangesTests
{
    private const string Parts =
        "\r\n--x\r\nContent-Type: text/plain\r\nContent-Range: bytes 5-9/100\r\n\r\nhello\r\n--x\r\ncontent-range: bytes 20-20/100\r\n\r\n\n\r\n--x--\r\n";

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(1000)]
    public async Task Parts_are_read_however_they_come(int readBytes)
    {
        using OpenedRanges ranges = Open(Parts, readBytes);
        Assert.Equal(new ByteRange(5, 5), await ranges.NextAsync(default));
        Assert.Equal("hello", await RestAsync(ranges));
        Assert.Equal(new ByteRange(20, 1), await ranges.NextAsync(default));
        Assert.Equal("\n", await RestAsync(ranges));
        Assert.Null(await ranges.NextAsync(default));
    }

    [Theory]
    [InlineData("")]
    [InlineData("--x\r\n\r\n")]
    [InlineData("--y\r\nContent-Range: bytes 0-0/1\r\n\r\na")]
    [InlineData("--x\r\nContent-Range: bytes */1\r\n\r\na")]
    [InlineData("--x\r\nContent-Range: bytes 5-1/9\r\n\r\na")]
    [InlineData("--x\r\nContent-Range: bytes 0-9/10\r\n\r\na")]
    [InlineData("--x\r\nContent-Range: bytes 0-99999999999999999999/10\r\n\r\na")]
    [InlineData("--x\r\nContent-Range: bytes 0-0/1\r\n\r\nab\r\n--x--")]
    [InlineData("--x\r\nContent-Range: bytes 0-0/1\r\n\r\na\r\n--x")]
    public async Task Malformed_parts_are_refused(string body)
    {
        using OpenedRanges ranges = Open(body, 1000);
        await Assert.ThrowsAsync<TransferException>(async () =>
        {
            while (await ranges.NextAsync(default) is not null)
            {
                await RestAsync(ranges);
            }
        });
    }

    [Fact]
    public async Task Endless_lines_and_heads_are_refused()
    {
        foreach (string body in (string[])[new string('a', 1_000_000), "--x\r\n" + string.Concat(Enumerable.Repeat("A: b\r\n", 100_000))])
        {
            using OpenedRanges ranges = Open(body, 1000);
            await Assert.ThrowsAsync<TransferException>(async () => await ranges.NextAsync(default));
        }
    }

    private static OpenedRanges Open(string body, int readBytes) => new(
        new HttpResponseMessage(), new SlowStream(Encoding.Latin1.GetBytes(body), readBytes), "x", new ProtocolCall("Downloading", "x", TransferProtocol.Http1))
    {
        Tag = null,
    };

    private static async Task<string> RestAsync(OpenedRanges ranges)
    {
        var text = new StringBuilder();
        byte[] bytes = new byte[7];
        while (await ranges.ReadAsync(bytes, default) is > 0 and var read)
        {
            text.Append(Encoding.Latin1.GetString(bytes, 0, read));
        }

        return text.ToString();
    }

    private sealed class SlowStream(byte[] content, int readBytes) : MemoryStream(content)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            base.ReadAsync(buffer[..Math.Min(readBytes, buffer.Length)], cancellationToken);
    }
}
