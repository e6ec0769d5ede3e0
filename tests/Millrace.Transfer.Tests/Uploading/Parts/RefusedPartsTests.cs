namespace Millrace.Transfer.Tests.Uploading.Parts;

public sealed class RefusedPartsTests : ServerTest
{
    [Fact]
    public async Task Name_taken_meanwhile_is_kept_and_parts_are_deleted()
    {
        await using var relay = new TestRelay(() => Server.Port, _ => LongWay.Plan);
        using TransferClient client = Clients.To(relay.Files);
        byte[] before = [];
        Reports progress = LongWay.OnceDivided(relay, () => before = Server.Write("x", 10, seed: 9));

        TransferException exception = await Fails.WithAsync(TransferError.AlreadyExists, () => client.PutAsync(
            new MemoryStream(Content.Random(LongWay.Bytes)),
            Clients.Name("x"),
            new PutOptions { Precondition = new WritePrecondition { CreateNew = true } },
            progress));

        Assert.Equal(412, exception.Status);
        Assert.Equal(10, before.Length);
        Assert.Equal(before, await File.ReadAllBytesAsync(Server.PathOf("x")));
        await LongWay.NothingIsLeftAsync(Server);
    }

    [Fact]
    public async Task Parts_that_do_not_have_the_digest_of_the_whole_are_not_published()
    {
        await using var relay = new TestRelay(() => Server.Port, _ => LongWay.Plan);
        using TransferClient client = Clients.To(relay.Files);
        TransferException? exception = null;
        for (int i = 0; exception is null; i++)
        {
            // On a busy machine one connection may bring as much as several, and then the content is read once.
            Assert.True(i < 10, "No upload was divided.");
            using var content = new RestlessStream(Content.Random(LongWay.Bytes));
            exception = await Record.ExceptionAsync(() => client.PutAsync(content, Clients.Name("x"))) as TransferException;
            if (exception is null)
            {
                Assert.True(await client.DeleteAsync(Clients.Name("x")));
            }
        }

        Assert.Equal(TransferError.DigestMismatch, exception.Error);
        Assert.NotNull(exception.Status);
        Assert.True(relay.MaxOpen >= 3);
        Assert.Empty(Server.Visible());
        await LongWay.NothingIsLeftAsync(Server);
    }

    /// <summary>Has another last byte each time that it is read.</summary>
    private sealed class RestlessStream(byte[] content) : MemoryStream(content)
    {
        private byte _last;

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            int read = await base.ReadAsync(buffer, cancellationToken);
            if (Position == Length && read > 0)
            {
                buffer.Span[read - 1] = ++_last;
            }

            return read;
        }
    }
}
