using System.Diagnostics;
using System.Text.Json;
using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>`millrace sync` against `millrace serve`, as processes.</summary>
public sealed class SyncTests : CommandTests
{
    [Fact]
    public async Task Folder_goes_up_and_down_and_only_what_changed_is_moved()
    {
        Write("tree/a.bin", 50_000, 1);
        Write("tree/sub/b c.bin", 70_000, 2);
        Write("tree/sub/old", 5_000, 3);
        Write("tree/gone", 10, 4);
        using ServedCommand server = await ServeAsync("served");
        string url = server.Files + "up/";

        string output = await SucceedAsync("sync", "tree", url);
        Assert.Contains("Synced 4 files, ", output, StringComparison.Ordinal);
        Assert.EndsWith($"Done; 0 files unchanged in {url}.", output.TrimEnd(), StringComparison.Ordinal);
        Assert.Equal(Digests("tree"), Digests("served/up"));
        output = await SucceedAsync("sync", "tree", url.TrimEnd('/'));
        Assert.Equal($"Nothing to do; 4 files unchanged in {url}.", output.Trim());
        Assert.Equal(5, (await RunAsync("sync", "--exit-code", "tree", url)).ExitCode);

        Write("tree/a.bin", 50_001, 5);
        Write("tree/new", 3, 6);
        File.Delete(Folder["tree/gone"]);
        File.Move(Folder["tree/sub/old"], Folder["tree/young"]);
        output = await SucceedAsync("sync", "--delete", "-n", "tree", url);
        string[] plan = [.. output.Split('\n').Select(static line => line.TrimEnd())];
        Assert.Equal(["> sub/old to young", "+ new  3 B", "~ a.bin  49 KiB", "- gone"], plan[..4]);
        Assert.Equal(
            "1 file to add, 1 to replace (49 KiB), 1 to rename, 1 file to remove, for good; 1 unchanged. Nothing was done.", plan[4]);
        Assert.True(File.Exists(Folder["served/up/gone"]));

        JsonElement[] lines = [.. Lines(await SucceedAsync("sync", "--delete", "--backup-dir", "../kept", "--json", "tree", url))];
        Assert.Equal(4, lines.Length);
        Assert.Equal(("rename", "young", "sub/old"), (Text(lines[0], "action"), Text(lines[0], "name"), Text(lines[0], "from")));
        Assert.Equal(("remove", "gone", true), (Text(lines[3], "action"), Text(lines[3], "name"), lines[3].GetProperty("done").GetBoolean()));
        Assert.Equal(Digests("tree"), Digests("served/up"));
        Assert.True(File.Exists(Folder["served/kept/gone"]));

        await SucceedAsync("sync", url, "down");
        Assert.Equal(Digests("tree"), Digests("down"));

        // A plan changes nothing, not even a date.
        LocalTime.Set(Folder["down/young"], new FileTime(5, 0));
        Assert.Contains("4 unchanged", await SucceedAsync("sync", "-n", url, "down"), StringComparison.Ordinal);
        Assert.Equal(new FileTime(5, 0), LocalTime.Of(Folder["down/young"]));
        await SucceedAsync("sync", url, "down");
        Assert.Equal(LocalTime.Of(Folder["tree/young"]), LocalTime.Of(Folder["down/young"]));
        output = await SucceedAsync("sync", "tree", "copy");
        Assert.Contains("Synced 4 files, ", output, StringComparison.Ordinal);
        Assert.DoesNotContain(" by ", output, StringComparison.Ordinal);
        Assert.Equal(Digests("tree"), Digests("copy"));
    }

    [Fact]
    public async Task Patterns_choose_files_as_those_of_gitignore()
    {
        foreach (string name in (string[])["a.txt", "b.tmp", "sub/c.tmp", "sub/d.txt", "cache/e.txt", "sub/cache/f.txt", "build/g.txt", "sub/build/h.txt", "keep.tmp"])
        {
            Write($"tree/{name}", 1);
        }

        await File.WriteAllTextAsync(Folder["patterns"], "# leftovers\n*.tmp\n!keep.tmp\n\ncache/\n");
        await SucceedAsync("sync", "--exclude-from", "patterns", "--exclude", "/build", "tree", "one");
        Assert.Equal(["a.txt", "keep.tmp", "sub/build/h.txt", "sub/d.txt"], Digests("one").Keys);
        await SucceedAsync("sync", "--include", "sub/", "--include", "*.tmp", "--exclude", "cache", "tree", "two");
        Assert.Equal(["b.tmp", "keep.tmp", "sub/build/h.txt", "sub/c.tmp", "sub/d.txt"], Digests("two").Keys);

        // Excluded files stay.
        await SucceedAsync("sync", "--delete", "--max-delete", "100%", "--exclude", "*.tmp", "tree/cache", "two");
        Assert.Equal(["b.tmp", "e.txt", "keep.tmp", "sub/c.tmp"], Digests("two").Keys);
    }

    [Fact]
    public async Task What_would_lose_files_or_cannot_be_meant_is_refused()
    {
        Write("tree/a", 1);
        Write("other/b", 2);
        Write("other/c", 3);
        Directory.CreateDirectory(Folder["empty"]);
        foreach ((string[] arguments, string why) in ((string[] Arguments, string Why)[])
            [
                (["empty", "other", "--delete"], "the source has no file"),
                (["tree", "other", "--delete"], "2 of the target's 2 files would be removed, and 1 may be"),
                (["tree", "other", "--delete", "--max-delete", "0"], "and 0 may be"),
                (["missing", "other"], "There is no folder 'missing'"),
                (["tree", "tree/sub"], "one is in the other"),
                (["tree", "."], "one is in the other"),
                (["tree", "tree/"], "are the same folder"),
                (["tree", "other", "--force"], "--force needs --delete"),
                (["tree", "other", "--backup-dir", "x"], "--backup-dir needs --delete"),
                (["tree", "other", "--delete", "--max-delete", "many"], "neither a number of files nor a percentage"),
                (["tree", "other", "--exclude-from", "none"], "--exclude-from: "),
                (["tree", "other", "--watch", "--dry-run"], "--watch and --dry-run exclude each other"),
                (["http://localhost:1/files/a/", "other", "--watch", "--attempts", "1"], "only these can be watched"),
                (["http://localhost:1/files/a/", "http://localhost:1/files/b/", "--attempts", "1"], ""),
            ])
        {
            Assert.Contains(why, await FailAsync(["sync", .. arguments]), StringComparison.Ordinal);
        }

        Assert.Equal(["b", "c"], Digests("other").Keys);
        await SucceedAsync("sync", "--delete", "--force", "empty", "other");
        Assert.Empty(Digests("other"));
    }

    [Fact]
    public async Task Second_sync_into_the_same_target_is_refused_or_waits()
    {
        Write("tree/a", 1);
        Write("tree/z", 5_000_000);
        using ServedCommand server = await ServeAsync("tree");

        await using var relay = new StallingRelay(() => server.Port);
        relay.Stall(down: 1_000_000);
        Process first = Start(["sync", relay.Files, "copy"]);
        await relay.StalledAsync();
        Assert.Contains("Another sync into", await FailAsync("sync", "tree", "copy/"), StringComparison.Ordinal);
        Process waiting = Start(["sync", "--wait", "tree", "copy"]);
        relay.CutAndRelease();
        Assert.Equal(0, (await EndAsync(first)).ExitCode);
        (int exitCode, string output, string error) = await EndAsync(waiting);
        Assert.True(exitCode == 0, error);
        Assert.Contains("Nothing to do; 2 files unchanged", output, StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Unix)]
    [InlineData("auto")]
    [InlineData("grpc")]
    public async Task Sync_of_another_machine_into_the_same_target_is_refused_or_waits(string protocol)
    {
        Write("tree/a", 1);
        Write("tree/z", 5_000_000);
        using ServedCommand server = await ServeAsync("served");
        string url = server.Files + "up/";

        // Slow, and not stalled: it has to renew its lock.
        Process first = Start(["sync", "--limit-rate", "10K", "tree", url]);
        await HoldsLockAsync(first);

        // Of another user or machine, which the system's locks do not see.
        (string, string)[] elsewhere = [("XDG_STATE_HOME", Folder["elsewhere"])];
        Process refused = Start(["sync", "--via", protocol, "tree", url], variables: elsewhere);
        (int exitCode, string output, string error) = await EndAsync(refused);
        Assert.Equal(1, exitCode);
        Assert.Contains($"Another sync into 'up' is running ({Environment.UserName} on {Environment.MachineName}, process {first.Id}).", error, StringComparison.Ordinal);
        Assert.Contains("Wait for it, or add --wait.", error, StringComparison.Ordinal);

        // The machine of the first one fails; the same command there takes its lock over.
        first.Kill();
        await first.WaitForExitAsync();
        Process again = Start(["sync", "--limit-rate", "1M", "tree", url]);
        await HoldsLockAsync(again);
        Process waiting = Start(["sync", "--wait", "--via", protocol, "tree", url], variables: elsewhere);
        (exitCode, _, error) = await EndAsync(again);
        Assert.True(exitCode == 0, error);
        (exitCode, output, error) = await EndAsync(waiting);
        Assert.True(exitCode == 0, error);
        Assert.Contains("2 files unchanged", output, StringComparison.Ordinal);
        Assert.Equal(Digests("tree"), Digests("served/up"));
        await SucceedAsync("sync", "tree", url);
    }

    [NeedsFact(Need.Unix)]
    public async Task Watched_folder_is_kept_in_step_until_it_is_stopped()
    {
        Write("tree/a", 100, 1);
        using ServedCommand server = await ServeAsync("served");
        string[] arguments = ["sync", "--watch", "--delete", "tree", server.Files + "up/"];
        Process watch = Start(arguments);
        await InStepAsync(watch);
        Write("tree/sub/b", 200, 2);
        await InStepAsync(watch);

        // Not the file that has just been published: it is looked at once more, and has to be there.
        File.Move(Folder["tree/a"], Folder["tree/sub/c"]);
        await InStepAsync(watch);

        // A second process would undo its work.
        Assert.Contains("Another sync into", await FailAsync("sync", "tree", server.Files + "up/"), StringComparison.Ordinal);
        (int exitCode, string output, string error) = await StopAsync(watch, arguments);
        Assert.True(exitCode == 0, error);
        Assert.Contains($"Watching {Folder["tree"]} for changes", output, StringComparison.Ordinal);
        Assert.True(error.Length == 0, error);
    }

    [NeedsFact(Need.Linux), Trait("Tier", "All")]
    public async Task Watched_folder_is_in_step_again_after_the_systems_queue_of_events_overflowed()
    {
        int queue = int.Parse(await File.ReadAllTextAsync("/proc/sys/fs/inotify/max_queued_events"), null);
        Write("tree/a", 100, 1);
        using ServedCommand server = await ServeAsync("served");
        string[] arguments = ["sync", "--watch", "--delete", "--max-delete", "100%", "tree", server.Files + "up/"];
        Process watch = Start(arguments);
        await InStepAsync(watch);

        // A stopped process reads no events.
        Command.Signal(watch, 19); // SIGSTOP
        for (int i = 0; i < 300; i++)
        {
            Directory.CreateDirectory(Folder[$"tree/sub/{i % 10}"]);
            Folder.Write($"tree/sub/{i % 10}/{i}", "old");
        }

        for (int events = 0; events < Math.Min(2 * queue, 1_000_000); events += 600)
        {
            for (int i = 0; i < 300; i++)
            {
                File.SetLastWriteTimeUtc(Folder[$"tree/{(i % 2 == 0 ? "a" : "sub")}"], DateTime.UnixEpoch.AddSeconds(events + i));
            }

            Folder.Write("tree/b", $"{events}");
        }

        for (int i = 0; i < 300; i += 3)
        {
            Folder.Write($"tree/sub/{i % 10}/{i}", $"new {i}");
            File.Delete(Folder[$"tree/sub/{(i + 1) % 10}/{i + 1}"]);
        }

        Directory.Move(Folder["tree/sub/9"], Folder["tree/moved"]);
        File.Delete(Folder["tree/a"]);
        Folder.Write("tree/lost/deep/file", "its folders came while nobody looked");
        Command.Signal(watch, 18); // SIGCONT
        await InStepAsync(watch);
        Assert.Equal(FilesOf("tree"), FilesOf("served/up"));
        Folder.Write("tree/lost/deep/later", "later");
        Folder.Write("tree/moved/later", "later");
        await InStepAsync(watch);
        (int exitCode, _, string error) = await StopAsync(watch, arguments);
        Assert.True(exitCode == 0, error);
    }

    [NeedsFact(Need.Native)]
    public async Task Whole_folder_that_another_client_changes_meanwhile_is_compared_again()
    {
        Write("tree/a", 100, 1);
        Write("tree/z", 5_000_000, 2);
        Write("served/up/old", 10, 3);
        using ServedCommand server = await ServeAsync("served");
        await using var relay = new StallingRelay(() => server.Port);
        relay.Stall(up: 1_000_000);
        Process first = Start(["sync", "--atomic", "tree", relay.Files + "up/"]);
        await relay.StalledAsync();
        await SucceedAsync("put", "tree/a", server.Files + "up/theirs");
        Assert.Equal(["old", "theirs"], Digests("served/up").Keys);
        relay.CutAndRelease();
        (int exitCode, _, string error) = await EndAsync(first);
        Assert.True(exitCode == 0, error);
        Assert.Contains("somebody has changed", error, StringComparison.Ordinal);
        Assert.Equal(["a", "old", "theirs", "z"], Digests("served/up").Keys);
    }

    [NeedsFact(Need.Unix)]
    public async Task Whole_folder_changes_in_one_step_and_gets_its_earlier_version_back()
    {
        Write("site/a", 100, 1);
        Write("site/sub/b", 200, 2);
        using ServedCommand server = await ServeAsync("served");
        string url = server.Files + "site/";
        await SucceedAsync("put", "--atomic", "site", server.Files);
        SortedDictionary<string, string> first = Digests("site");
        Assert.Equal(first, Digests("served/site"));
        Assert.Contains("2 files unchanged", await SucceedAsync("sync", "--atomic", "site", url), StringComparison.Ordinal);
        Assert.Equal(["site"], Directory.GetDirectories(Folder["served"], "s*").Select(Path.GetFileName));

        // Of a run that was killed after the exchange.
        Directory.CreateDirectory(Folder["served/site.next-0123456789abcdef01234567"]);
        await SucceedAsync("sync", "--atomic", "site", url);
        Assert.Equal(["site"], Directory.GetDirectories(Folder["served"], "s*").Select(Path.GetFileName));

        Write("site/a", 100, 3);
        Write("site/c", 300, 4);
        File.Delete(Folder["site/sub/b"]);
        await SucceedAsync("sync", "--atomic", "--delete", "--keep", "1", "site", url);
        Assert.Equal(Digests("site"), Digests("served/site"));
        string kept = Path.GetFileName(Assert.Single(Directory.GetDirectories(Folder["served"], "site.kept-*")));
        Assert.Equal(first, Digests("served/" + kept));
        Assert.Contains("has the version again that was replaced at", await SucceedAsync("sync", "--restore", url), StringComparison.Ordinal);
        Assert.Equal(first, Digests("served/site"));

        // A version that cannot be sent in full is not published at all.
        Write("site/d", 10, 5);
        Directory.CreateDirectory(Folder["served/site/e"]);
        Write("served/site/e/f", 1);
        Write("site/e", 1, 6);
        Assert.Contains("is as it was, because not every file is there", await FailAsync("sync", "--atomic", "site", url), StringComparison.Ordinal);
        Assert.False(File.Exists(Folder["served/site/d"]));
        await SucceedAsync("sync", "--atomic", "--delete", "--force", "site", url);
        Assert.Equal(Digests("site"), Digests("served/site"));

        await SucceedAsync("sync", "--atomic", url, "copy");
        Assert.Equal(Digests("site"), Digests("copy"));
        Assert.Contains("no SOURCE and no TARGET", await FailAsync("sync", "--restore", "copy", "site", url), StringComparison.Ordinal);
        Assert.Contains("Name the SOURCE and the TARGET", await FailAsync("sync", "site"), StringComparison.Ordinal);
        Assert.Contains("--keep needs --atomic", await FailAsync("sync", "--keep", "1", "site", "copy"), StringComparison.Ordinal);
        Assert.Contains("No earlier version of 'copy' is kept", await FailAsync("sync", "--restore", "copy"), StringComparison.Ordinal);
        Assert.Contains("name a folder, and a URL", await FailAsync("put", "--atomic", "site/a", server.Files), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Links | Need.Unix)]
    public async Task Links_are_kept_as_links_on_request_by_put_get_and_sync()
    {
        Write("tree/file", 100, 1);
        Write("tree/sub/inner", 200, 2);
        (string Name, string Target)[] links = [("link", "sub/inner"), ("sub/up", "../file"), ("folder", "sub"), ("dangling", "none/there")];
        foreach ((string name, string target) in links)
        {
            File.CreateSymbolicLink(Folder[$"tree/{name}"], target);
        }

        File.CreateSymbolicLink(Folder["tree/out"], "/etc/hosts");
        using ServedCommand server = await ServeAsync("served");
        foreach (string[] command in (string[][])[["put", "--links", "tree", server.Files], ["sync", "--links", "--via", "grpc", "tree", server.Files + "up/"]])
        {
            (int exitCode, string output, string error) = await RunAsync(command);
            Assert.True(exitCode == 4, output + error);
            Assert.Contains("out' is a link that is absolute", error, StringComparison.Ordinal);
        }

        await SucceedAsync("get", "--links", server.Files + "tree/", "got");
        await SucceedAsync("sync", "--links", server.Files + "up/", "down");
        Assert.All((string[])["served/tree", "served/up", "got", "down"], folder => AssertLinks(folder, links));

        // What has changed is a link again, and what has not is left alone.
        links[0].Target = "file";
        File.Delete(Folder["tree/link"]);
        File.CreateSymbolicLink(Folder["tree/link"], "file");
        File.Delete(Folder["tree/out"]);
        Assert.Contains("~ link  -> file", await SucceedAsync("sync", "--links", "-n", "tree", server.Files + "up/"), StringComparison.Ordinal);
        await SucceedAsync("put", "--links", "tree", server.Files);
        await SucceedAsync("get", "--links", server.Files + "tree/", "got");
        string synced = await SucceedAsync("sync", "--links", "tree", server.Files + "up/");
        Assert.Contains($"tree/link to {server.Files}up/link", synced, StringComparison.Ordinal);
        Assert.Contains("Done; 5 files unchanged", synced, StringComparison.Ordinal);
        Assert.All((string[])["served/tree", "served/up", "got"], folder => AssertLinks(folder, links));
        Assert.Contains("Nothing to do; 6 files unchanged", await SucceedAsync("sync", "--links", "tree", server.Files + "up/"), StringComparison.Ordinal);
    }

    private void AssertLinks(string folder, (string Name, string Target)[] links) =>
        Assert.All(links, link => Assert.Equal(link.Target, new FileInfo(Folder[$"{folder}/{link.Name}"]).LinkTarget));

    /// <summary>Stops a process that watches. One that is still at work, although all files are there, ends otherwise: then again with another one.</summary>
    private async Task<(int ExitCode, string Output, string Error)> StopAsync(Process watch, string[] arguments)
    {
        for (int i = 0; ; i++)
        {
            Command.Signal(watch, Command.Interrupt);
            (int exitCode, string output, string error) = await EndAsync(watch);
            if (exitCode != 130 || i == 10)
            {
                return (exitCode, output, error);
            }

            watch = Start(arguments);
            Write($"tree/again{i}", 10, i);
            await InStepAsync(watch);
            await Task.Delay(100 * i);
        }
    }

    /// <summary>Waits until a sync has the server's lock, or has ended.</summary>
    private Task HoldsLockAsync(Process sync)
    {
        string locks = Folder["served/.millrace/locks/.millrace"];
        return Bounded.UntilAsync(() => sync.HasExited || (File.Exists(locks) && File.ReadAllText(locks).Contains($"process {sync.Id}", StringComparison.Ordinal)));
    }

    private async Task InStepAsync(Process watch)
    {
        for (int i = 0; !AreInStep(); i++)
        {
            Assert.False(watch.HasExited);
            Assert.True(i < 1800, "They were not in step within three minutes.");
            await Task.Delay(100);
        }

        bool AreInStep()
        {
            try
            {
                return Digests("tree").SequenceEqual(Digests("served/up"));
            }
            catch (IOException)
            {
                // What the server is writing there has got its name meanwhile.
                return false;
            }
        }
    }

    private static string? Text(JsonElement line, string name) => line.GetProperty(name).GetString();
}
