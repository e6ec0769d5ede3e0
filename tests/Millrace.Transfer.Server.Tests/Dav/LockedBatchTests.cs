namespace Millrace.Transfer.Server.Tests.Dav;

/// <summary>Batches of files, of which others have locked some.</summary>
public sealed class LockedBatchTests : DavTest
{
    [Fact]
    public async Task Locked_files_are_refused_and_the_others_are_stored()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        await Server.WriteAsync("d/old", new byte[] { 1 });
        string token = await LockAsync("files/a");
        string folder = await LockAsync("files/d/", fields: ("Depth", "0"));
        (byte[], byte[])[] files = [Batch.File("a", [2]), Batch.File("b", [2]), Batch.File("d/new", [2]), Batch.File("d/old", [2])];
        BatchResultDocument[] results = await Batch.PutAsync(Client, "files/?batch", files);
        Assert.Equal([423, 201, 423, 204], results.Select(static one => one.Status));
        Assert.Equal([1], await File.ReadAllBytesAsync(Server.PathOf("a")));
        results = await Batch.PutAsync(Client, "files/d/?batch", Batch.File("old", [3]), Batch.File("new", [3]));
        Assert.Equal([204, 423], results.Select(static one => one.Status));
        results = await Batch.ReadAsync(
            await Batch.PostAsync(Client, "files/?batch", Batch.Joined(files), ("If", $"</files/a> (<{token}>) </files/d/> (<{folder}>)")), 4);
        Assert.Equal([204, 204, 201, 204], results.Select(static one => one.Status));
        Assert.Empty(Server.Complaints);
    }
}
