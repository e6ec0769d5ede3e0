using System.Diagnostics;

namespace Millrace.Cli.Tests.Serving;

/// <summary>The served folder as a drive, by davfs2.</summary>
[Trait("Tier", "All")]
public sealed class MountTests : CommandTests
{
    /// <summary>davfs2 1.6 asks the kernel for reads of 16 KiB, with which it cannot list a folder under Linux 6.12 and later.</summary>
    private const string Options = "ask_auth 0\ndelay_upload 0\nbuf_size 64\n";

    public MountTests() => IsHosted = false;

    [NeedsFact(Need.DavMount | Need.Rsync)]
    public async Task Two_thousand_files_go_in_and_out_and_rsync_updates_them()
    {
        for (int file = 0; file < 2000; file++)
        {
            Write($"tree/d {file / 100}/ü {file}", 50 * (file % 100), file);
        }

        using ServedCommand server = await ServeAsync("served");
        await MountedAsync(server, "cp -r tree drive/");
        Assert.Equal(Digests("tree"), Digests("served/tree"));
        await MountedAsync(server, "cp -r drive/tree back");
        Assert.Equal(Digests("tree"), Digests("back"));

        await MountedAsync(
            server,
            "echo changed >'tree/d 1/ü 107'; rm 'tree/d 2/ü 208'; rm -r 'tree/d 3'; rsync -rt --delete tree/ drive/tree/; rsync -rt --delete --inplace back/ drive/back/");
        Assert.Equal(Digests("tree"), Digests("served/tree"));
        Assert.Equal(Digests("back"), Digests("served/back"));
    }

    [NeedsFact(Need.DavMount)]
    public async Task Drive_goes_on_after_its_server_was_killed()
    {
        KeepsPorts = true;
        using ServedCommand server = await ServeAsync("served");
        using Process work = Begin(server, "echo before >drive/before; touch ready; until [ -e again ]; do sleep 0.05; done; cat drive/before; echo after >drive/after; mv drive/before drive/moved");
        await Bounded.UntilAsync(() => File.Exists(Folder["ready"]) && File.Exists(Folder["served/before"]) && new FileInfo(Folder["served/before"]).Length > 0);
        await server.KillAsync();
        await server.StartAgainAsync();
        await File.WriteAllTextAsync(Folder["again"], "");
        await SucceedAsync(work);
        Assert.Equal(["after", "moved"], Digests("served").Keys);
    }

    private async Task MountedAsync(ServedCommand server, string script)
    {
        using Process work = Begin(server, script);
        await SucceedAsync(work);
    }

    private Process Begin(ServedCommand server, string script)
    {
        Directory.CreateDirectory(Folder["drive"]);
        Folder.Write("davfs2.conf", Options);
        string mount = $"set -e; mount -t davfs -o conf=$PWD/davfs2.conf {server.Files} drive </dev/null; trap 'mountpoint -q drive && umount drive >/dev/null' EXIT; ";
        return Process.Start(new ProcessStartInfo("bash", ["-c", mount + script])
        {
            WorkingDirectory = Folder.Path,
            RedirectStandardError = true,
            RedirectStandardOutput = true,
            UseShellExecute = false,
        })!;
    }

    private static async Task SucceedAsync(Process work)
    {
        Task<string> output = work.StandardOutput.ReadToEndAsync();
        string error = await work.StandardError.ReadToEndAsync().WaitAsync(TimeSpan.FromMinutes(5));
        await TestProcess.WaitAsync(work);
        Assert.True(work.ExitCode == 0, await output + error);
    }
}
