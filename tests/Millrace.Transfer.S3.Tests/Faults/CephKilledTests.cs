using System.Diagnostics;

namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>The object store dies and comes back during transfers.</summary>
public sealed class CephKilledTests : BucketTest
{
    private CephServer? _ceph;

    [NeedsFact(Need.Ceph)]
    public async Task Uploads_and_downloads_go_on_when_the_store_is_back()
    {
        const int Length = 48 * 1024 * 1024;
        string digest = Write("file", Length);
        await using ServedBucket server = await ServeAsync();
        string[] protocols = Soak.Asked ? ["grpc", "http1", "tus"] : ["tus"];
        foreach (string via in protocols)
        {
            using Process put = MillraceCommand.Start(Folder.Path, null, "put", "--quiet", "--via", via, "file", server.Files + via);
            await Bounded.UntilAsync(async () => put.HasExited || (await Bucket.OpenUploadsAsync()).Count > 0);
            await RestartAsync();
            (int exitCode, _, string error) = await MillraceCommand.EndAsync(put);
            Assert.True(exitCode == 0, error);

            using Process get = MillraceCommand.Start(Folder.Path, null, "get", "--quiet", "--via", via, server.Files + via, "back-" + via);
            await RestartAsync();
            (exitCode, _, error) = await MillraceCommand.EndAsync(get);
            Assert.True(exitCode == 0, error);
            Assert.Equal(digest, DigestOf("back-" + via));
        }

        Assert.Equal(protocols, await Bucket.VisibleAsync());
    }

    public override async Task DisposeAsync()
    {
        await base.DisposeAsync();
        _ceph?.Dispose();
    }

    private protected override async Task<CephServer?> ServerAsync() =>
        Needs.Missing(Need.Ceph) is null ? _ceph = await CephServer.StartAsync(onDisk: true) : null;

    private async Task RestartAsync()
    {
        await _ceph!.KillAsync();
        await _ceph.StartAgainAsync();
    }
}
