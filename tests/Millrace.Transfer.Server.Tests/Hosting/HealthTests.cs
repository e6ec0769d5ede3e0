using System.Net.Http.Headers;

namespace Millrace.Transfer.Server.Tests.Hosting;

public sealed class HealthTests
{
    [Fact]
    public async Task Health_reports_success_and_free_space()
    {
        await using ServedFolder served = await ServedFolder.StartAsync();
        using JsonDocument health = JsonDocument.Parse(await served.Client.GetStringAsync("health"));

        Assert.Equal("ok", health.RootElement.GetProperty("status").GetString());
        Assert.True(health.RootElement.GetProperty("freeBytes").GetInt64() > 0);
        Assert.Equal(0, health.RootElement.GetProperty("transfers").GetInt32());
        Assert.DoesNotContain(
            Directory.GetFiles(Path.Combine(served.Folder, NameRules.HiddenFolder)),
            path => path.Contains("health", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Health_is_unavailable_without_the_required_free_space()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.Store = new LocalFileStoreOptions { FreeSpaceToLeave = long.MaxValue });
        using HttpResponseMessage response = await served.Client.GetAsync("health");

        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        Assert.Contains("\"failing\"", await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Unix)]
    public async Task Health_is_unavailable_without_the_folder()
    {
        await using ServedFolder served = await ServedFolder.StartAsync();
        string hidden = Path.Combine(served.Folder, NameRules.HiddenFolder);
        Directory.Delete(hidden, recursive: true);
        await File.WriteAllTextAsync(hidden, "a file and no folder");
        using HttpResponseMessage response = await served.Client.GetAsync("health");

        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
    }

    [NeedsFact(Need.Unix)]
    public async Task Health_does_not_create_a_deleted_folder_again()
    {
        await using ServedFolder served = await ServedFolder.StartAsync();
        Directory.Delete(served.Folder, recursive: true);
        using HttpResponseMessage response = await served.Client.GetAsync("health");

        Assert.Equal((HttpStatusCode.ServiceUnavailable, false), (response.StatusCode, Directory.Exists(served.Folder)));
        Directory.CreateDirectory(served.Folder);
    }

    [Fact]
    public async Task Health_reports_the_check_of_the_stored_files()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.ScrubPeriod = TimeSpan.FromDays(30);
            options.Store = new LocalFileStoreOptions();
        });
        JsonElement scrub = default;
        await Bounded.UntilAsync(async () =>
        {
            using JsonDocument health = JsonDocument.Parse(await served.Client.GetStringAsync("health"));
            scrub = health.RootElement.GetProperty("scrub").Clone();
            return scrub.TryGetProperty("completed", out _);
        });
        Assert.Equal((0, 0), (scrub.GetProperty("files").GetInt64(), scrub.GetProperty("damaged").GetInt32()));
    }

    [Fact]
    public async Task Health_without_a_token_reports_only_the_status()
    {
        await using ServedFolder served = await ServedFolder.StartAsync();
        string token = (await new TokenStore(TokenStore.DefaultPath(served.Folder)).AddAsync("one", TransferScope.Read)).Secret;

        Assert.Equal("""{"status":"ok"}""", await served.Client.GetStringAsync("health"));
        served.Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);
        Assert.Contains("freeBytes", await served.Client.GetStringAsync("health"), StringComparison.Ordinal);
    }
}
