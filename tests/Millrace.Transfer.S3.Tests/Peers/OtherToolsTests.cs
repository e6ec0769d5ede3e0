using System.Diagnostics;

namespace Millrace.Transfer.S3.Tests.Peers;

/// <summary>rclone and s3cmd read Millrace's objects, and Millrace serves theirs.</summary>
public sealed class OtherToolsTests : BucketTest
{
    // More than one part of each.
    private const int Length = 20_000_001;

    [NeedsFact(Need.Ceph | Need.Rclone)]
    public async Task Rclone_both_ways()
    {
        await BothWaysAsync(
            (from, key) => RcloneAsync("copyto", from, $"ceph:{Bucket.Name}/{key}"),
            (key, to) => RcloneAsync("copyto", $"ceph:{Bucket.Name}/{key}", to));
    }

    [NeedsFact(Need.Ceph)]
    public async Task S3cmd_both_ways()
    {
        await BothWaysAsync(
            (from, key) => S3CmdAsync("put", from, $"s3://{Bucket.Name}/{key}"),
            (key, to) => S3CmdAsync("get", $"s3://{Bucket.Name}/{key}", to));
    }

    [NeedsFact(Need.Ceph | Need.Rclone)]
    public async Task Content_of_a_served_folder_is_moved_into_a_bucket()
    {
        Write("served/a/b", 1000);
        Write("served/c", Length);
        Write("served/.millrace/tokens.json", 10);
        await RcloneAsync("copy", "served", $"ceph:{Bucket.Name}/", "--exclude", ".millrace/**");
        await using ServedBucket server = await ServeAsync();
        Assert.Equal(["a/b", "c"], await Bucket.VisibleAsync());
        await MillraceCommand.SucceedAsync(Folder.Path, "get", server.Files + "c", "back");
        Assert.Equal(DigestOf("served/c"), DigestOf("back"));
    }

    private async Task BothWaysAsync(Func<string, string, Task> write, Func<string, string, Task> read)
    {
        await using ServedBucket server = await ServeAsync();
        foreach (int length in (int[])[1000, Length])
        {
            string digest = Write("file", length, length);
            await MillraceCommand.SucceedAsync(Folder.Path, "put", "file", $"{server.Files}ours/{length}");
            await read($"ours/{length}", Folder[$"theirs{length}"]);
            Assert.Equal(digest, DigestOf($"theirs{length}"));

            await write(Folder["file"], $"their/{length}");
            using var request = new HttpRequestMessage(HttpMethod.Head, new Uri($"/files/their/{length}", UriKind.Relative));
            request.Headers.Add("Want-Repr-Digest", "sha-256=1");
            using HttpResponseMessage head = await server.Client.SendAsync(request);
            Assert.Equal(length, head.Content.Headers.ContentLength);
            Assert.Equal($"sha-256=:{Convert.ToBase64String(Convert.FromHexString(digest))}:", Assert.Single(head.Headers.GetValues("Repr-Digest")));
            await MillraceCommand.SucceedAsync(Folder.Path, "get", $"{server.Files}their/{length}", $"got{length}");
            Assert.Equal(digest, DigestOf($"got{length}"));
        }
    }

    private Task RcloneAsync(params string[] arguments) => RunAsync("rclone", arguments, new()
    {
        ["RCLONE_CONFIG"] = "/dev/null",
        ["RCLONE_CONFIG_CEPH_TYPE"] = "s3",
        ["RCLONE_CONFIG_CEPH_PROVIDER"] = "Ceph",
        ["RCLONE_CONFIG_CEPH_ENDPOINT"] = Bucket.Server.Address.AbsoluteUri,
        ["RCLONE_CONFIG_CEPH_ACCESS_KEY_ID"] = CephServer.AccessKey,
        ["RCLONE_CONFIG_CEPH_SECRET_ACCESS_KEY"] = CephServer.SecretKey,
    });

    private Task S3CmdAsync(params string[] arguments)
    {
        string host = Bucket.Server.Address.Authority;
        return RunAsync(
            "s3cmd",
            [
                "--config=/dev/null", "--no-ssl", $"--host={host}", $"--host-bucket={host}", "--no-progress",
                $"--access_key={CephServer.AccessKey}", $"--secret_key={CephServer.SecretKey}", .. arguments,
            ],
            []);
    }

    private async Task RunAsync(string program, string[] arguments, Dictionary<string, string> environment)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = Folder.Path,
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        // rclone takes no such file with the way it connects.
        start.Environment.Remove("AWS_CA_BUNDLE");
        using Process process = Process.Start(start)!;
        (int exitCode, string output, string error) = await MillraceCommand.EndAsync(process);
        Assert.True(exitCode == 0, $"{program}: {output}{error}");
    }
}
