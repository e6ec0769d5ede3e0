using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>The same trees by `millrace sync`, rsync and rclone: equal names, bytes and dates, whatever the files are called.</summary>
[Trait("Tier", "All")]
public sealed class SyncPeersTests : CommandTests
{
    private static readonly string[] HostileNames =
    [
        "-rf", "--delete", "$(touch x)", "`id`", "a b", " leading", "trailing ", "trailing.", "...", "..a", "~", "~root", "#", "a#b", "?", "a?b=c", "%", "%20", "%2F",
        "*", "[a-z]", "{a,b}", "'quote'", "\"double\"", "back\\slash", "a:b", "C:", "CON", "nul.txt", "line\nfeed", "carriage\rreturn", "tab\t", "\u001b[31mred",
        "é", "e\u0301", "日本語", "\U0001F600", "\u202Egnp.exe", "\uFF61", "\uFEFFbom", "a-", "a.", "a0", "a/in the folder", "a&b", "a;b", "a|b", "<html>", "index.html", ".hidden",
        ".git/config", "very/deep/er/and/deeper/still/file", "same/SAME", "same/same", "empty",
    ];

    [NeedsFact(Need.Unix | Need.Rsync | Need.Rclone)]
    public async Task Results_are_those_of_rsync_and_rclone_for_new_and_for_changed_trees()
    {
        using ServedCommand server = await ServeAsync("served");
        var random = new Random(43);
        string[] names = [.. HostileNames, new('n', 255), .. Enumerable.Range(0, 40).Select(static i => $"plain/{i % 7}/{i}")];
        for (int round = 0; round < 3; round++)
        {
            foreach (string name in names)
            {
                // Some are changed, some get another date only, some go and come back.
                int what = round == 0 ? 0 : random.Next(5);
                if (what == 0)
                {
                    Write($"source/{name}", name == "empty" ? 0 : random.Next(1, 100_000), random.Next());
                }

                if (what == 1)
                {
                    File.Delete(Folder[$"source/{name}"]);
                }
                else if (what < 3 && File.Exists(Folder[$"source/{name}"]))
                {
                    LocalTime.Set(Folder[$"source/{name}"], new FileTime(random.NextInt64(-5_000_000_000, 5_000_000_000), random.Next(1_000_000_000)));
                }
            }

            await SucceedAsync("sync", "--delete", "--max-delete", "100%", "source", server.Files + "up/");
            await SucceedAsync("sync", "--delete", "--max-delete", "100%", server.Files + "up/", "down");
            await SucceedAsync("sync", "--delete", "--max-delete", "100%", "source", "copy");
            Shell.Run("rsync", "--archive", "--delete", "--prune-empty-dirs", Folder["source"] + "/", Folder["rsync"]);
            Shell.Run("rclone", "--config", "/dev/null", "sync", Folder["source"], Folder["rclone"]);
            Assert.True(FilesOf("source").Count > 50);
            foreach (string folder in (string[])["rsync", "rclone", "served/up", "down", "copy"])
            {
                // rclone takes two spellings of a character in Unicode for one name.
                (string Name, (string, FileTime))[] Of(string one) =>
                    [.. FilesOf(one).Where(file => folder != "rclone" || (!file.Key.EndsWith('\u0301') && file.Key != "é")).Select(static file => (file.Key, file.Value))];

                (string Name, (string, FileTime))[] wanted = Of("source");
                (string Name, (string, FileTime))[] found = Of(folder);
                Assert.True(
                    found.SequenceEqual(wanted), $"{folder} lacks {string.Join(", ", wanted.Except(found))} and has {string.Join(", ", found.Except(wanted))}");
            }

            Assert.Contains("Nothing to do", await SucceedAsync("sync", "--delete", server.Files + "up/", "down"), StringComparison.Ordinal);
        }
    }
}
