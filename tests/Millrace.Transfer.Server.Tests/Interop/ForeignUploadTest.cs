using System.Text.Json.Nodes;

namespace Millrace.Transfer.Server.Tests.Interop;

/// <summary>Uploads with a script of tests/interop, which runs another project's client in its own process.</summary>
/// <param name="program">What runs the script.</param>
/// <param name="script">Its file.</param>
public abstract class ForeignUploadTest(string program, string script) : ClientTest
{
    protected const int Chunk = 1024 * 1024;

    /// <summary>Nothing, one byte, around a chunk, and a real file.</summary>
    protected static readonly int[] ChunkSizes = [0, 1, Chunk - 1, Chunk, Chunk + 1, Large];

    private static string Folder { get; } = Path.Combine(Repository.Root, "tests", "interop");

    /// <summary>Uploads a file of so many bytes and compares the published file.</summary>
    protected Task<JsonElement> UploadAsync(int length, string name, object settings) => UploadAsync(Source(length), name, settings);

    /// <summary>Makes a file to be uploaded.</summary>
    protected string Source(int length)
    {
        string path = Mine(Guid.NewGuid().ToString("N"));
        File.WriteAllBytes(path, Content.Of(length));
        return path;
    }

    protected async Task<JsonElement> UploadAsync(string source, string name, object settings, bool killed = false)
    {
        JsonObject all = JsonSerializer.SerializeToNode(settings)!.AsObject();
        all["file"] = source;
        all["name"] = name;
        JsonElement done = await RunAsync(all, killed);
        if (!killed)
        {
            AssertSame(source, Server.PathOf(name));
        }

        return done;
    }

    /// <summary>Runs the script; the last line that it printed.</summary>
    protected async Task<JsonElement> RunAsync(JsonObject settings, bool killed = false)
    {
        settings["endpoint"] = Url("uploads");
        ForeignProgram.Result result = await ForeignProgram.RunAsync(Folder, program, script, settings.ToJsonString());

        // 128 + SIGKILL.
        Assert.True(
            result.ExitCode == (killed ? 137 : 0), $"{script} ended with {result.ExitCode}: {result.Output}{result.Errors}");
        return JsonDocument.Parse(result.Output.TrimEnd().Split('\n')[^1]).RootElement;
    }
}
