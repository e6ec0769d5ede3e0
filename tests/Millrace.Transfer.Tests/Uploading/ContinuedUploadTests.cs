namespace Millrace.Transfer.Tests.Uploading;

public sealed class ContinuedUploadTests : ServerTest
{
    [Theory, EveryProtocol]
    public async Task Upload_of_an_earlier_client_resumes(TransferProtocol protocol)
    {
        byte[] content = Content.Random(24_000_000);
        string path = Folder.Write("x", content);
        await using TestRelay relay = Server.Behind(
            protocol, _ => new RelayPlan { CutUpAfter = 18_000_000, Once = true });
        using (TransferClient first = Clients.Resuming(relay.Files, Folder, protocol, attempts: 1))
        {
            await Assert.ThrowsAsync<TransferException>(
                () => first.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true }));
        }

        Assert.Empty(Server.Visible());
        using TransferClient second = Clients.Resuming(relay.Files, Folder, protocol, attempts: 10);
        TransferResult result = await second.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true });

        Assert.InRange(result.BytesSent, 1, content.Length - 1_000_000);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
        Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        Assert.Empty(Directory.GetFiles(Folder["records"]));
    }

    [Fact]
    public async Task Changed_file_is_uploaded_from_the_start()
    {
        string path = Folder.Write("x", Content.Random(24_000_000));
        await using var relay = new TestRelay(
            () => Server.Port, _ => new RelayPlan { CutUpAfter = 18_000_000, Once = true });
        using (TransferClient first = Clients.Resuming(relay.Files, Folder, TransferProtocol.Http1, attempts: 1))
        {
            await Assert.ThrowsAsync<TransferException>(
                () => first.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true }));
        }

        byte[] content = Content.Random(23_000_000, seed: 5);
        Folder.Write("x", content);
        using TransferClient second = Clients.Resuming(relay.Files, Folder, TransferProtocol.Http1, attempts: 10);
        TransferResult result = await second.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true });

        Assert.Equal(content.Length, result.BytesSent);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Theory, EveryProtocol]
    public async Task Finished_upload_whose_file_is_gone_is_uploaded_again(TransferProtocol protocol)
    {
        byte[] content = Content.Random(1_000_000);
        await using TestRelay relay = Server.Behind(protocol, _ => new RelayPlan { CutUpAfter = 600_000, Once = true });
        string path = await FinishWithRecordAsync(protocol, content, relay.Files);
        File.Delete(Server.PathOf("x"));

        using TransferClient client = Clients.Resuming(relay.Files, Folder, protocol, attempts: 2);
        await client.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true });

        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
        Assert.Empty(Directory.GetFiles(Folder["records"]));
    }

    [Theory, EveryProtocol]
    public async Task Finished_upload_whose_file_was_replaced_is_uploaded_again_without_digests(TransferProtocol protocol)
    {
        byte[] content = Content.Random(1_000_000);
        await using TestRelay relay = Server.Behind(protocol, _ => new RelayPlan { CutUpAfter = 600_000, Once = true });
        string path = await FinishWithRecordAsync(protocol, content, relay.Files);
        Server.Write("x", content.Length, seed: 7);

        using TransferClient client = Clients.Resuming(relay.Files, Folder, protocol, attempts: 2, verify: false);
        await client.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true });

        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    /// <summary>Uploads a file, and leaves the record that a client keeps if it is killed before it learns that it has finished.</summary>
    private async Task<string> FinishWithRecordAsync(TransferProtocol protocol, byte[] content, Uri files)
    {
        string path = Folder.Write("x", content);
        using (TransferClient first = Clients.Resuming(files, Folder, protocol, attempts: 1))
        {
            await Assert.ThrowsAsync<TransferException>(
                () => first.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true }));
        }

        string record = Assert.Single(Directory.GetFiles(Folder["records"]));
        byte[] kept = await File.ReadAllBytesAsync(record);
        using TransferClient second = Clients.Resuming(files, Folder, protocol);
        await second.PutAsync(path, Clients.Name("x"), new PutOptions { Resume = true });
        await File.WriteAllBytesAsync(record, kept);
        return path;
    }
}
