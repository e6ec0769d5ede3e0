namespace Millrace.Tests.Contract;

/// <summary>AsStream.</summary>
public sealed class AsStreamTests : ContractTests
{
    private const int Length = 50_000;

    [Theory, EveryReader]
    public void Synchronous_reads_give_every_byte(string name)
    {
        using Stream stream = Readers.Get(name).Create(Length).AsStream();
        byte[] bytes = new byte[Length];

        stream.ReadExactly(bytes);

        ReaderExtensions.AssertContent(0, Length, bytes);
        Assert.Equal(0, stream.Read(bytes));
        Assert.Equal(-1, stream.ReadByte());
    }

    [Theory, EveryReader]
    public async Task Asynchronous_reads_give_every_byte(string name)
    {
        await using Stream stream = Readers.Get(name).Create(Length).AsStream();
        byte[] bytes = new byte[Length];

        await stream.ReadExactlyAsync(bytes).Soon();

        ReaderExtensions.AssertContent(0, Length, bytes);
        Assert.Equal(0, await stream.ReadAsync(bytes).Soon());
    }

    [Theory, EveryReader]
    public async Task Small_reads_return_the_file_in_order(string name)
    {
        await using Stream stream = Readers.Get(name).Create(1_000).AsStream();
        using var destination = new MemoryStream();
        byte[] buffer = new byte[7];
        int read;
        while ((read = await stream.ReadAsync(buffer).Soon()) > 0)
        {
            destination.Write(buffer, 0, read);
        }

        ReaderExtensions.AssertContent(0, 1_000, destination.ToArray());
    }

    [Theory, EveryReader]
    public async Task Disposing_the_stream_completes_the_reader(string name)
    {
        PipeReader reader = Open(name, Length);
        Stream stream = reader.AsStream();

        await stream.DisposeAsync();

        await Assert.ThrowsAsync<InvalidOperationException>(async () => await reader.ReadAsync());
    }

    [Theory, EveryReader]
    public async Task A_stream_that_leaves_the_reader_open_leaves_it_where_it_is(string name)
    {
        PipeReader reader = Open(name, Length);
        Stream stream = reader.AsStream(leaveOpen: true);
        await stream.ReadExactlyAsync(new byte[1_234]).Soon();

        await stream.DisposeAsync();

        await reader.AssertRestAsync(1_234, Length);
    }

    [Theory, EveryReader(ReaderTraits.ObeysTokens)]
    public async Task A_canceled_token_cancels_a_read_of_the_stream(string name)
    {
        await using Stream stream = Readers.Get(name).Create(Length).AsStream();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await stream.ReadExactlyAsync(new byte[10], new CancellationToken(canceled: true)));

        byte[] bytes = new byte[Length];
        await stream.ReadExactlyAsync(bytes).Soon();
        ReaderExtensions.AssertContent(0, Length, bytes);
    }
}
