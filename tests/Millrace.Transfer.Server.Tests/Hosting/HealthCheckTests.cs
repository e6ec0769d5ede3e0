using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;

namespace Millrace.Transfer.Server.Tests.Hosting;

/// <summary>A store among the health checks of an application.</summary>
public sealed class HealthCheckTests : FolderTests
{
    private readonly SecondsClock _clock = new();

    [Fact]
    public async Task Store_that_accepts_files_is_healthy_and_names_its_free_space()
    {
        await using var store = new LocalFileStore(Folder["."]);
        await using WebApplication application = await StartAsync(checks => checks.AddMillraceTransferCheck(store));

        Assert.Equal((HttpStatusCode.OK, "Healthy"), await AskAsync(application));
        HealthReportEntry entry = Assert.Single((await CheckAsync(application)).Entries).Value;
        Assert.True((long)entry.Data["freeBytes"] > 0);
    }

    [NeedsFact(Need.Unix)]
    public async Task Store_whose_folder_is_gone_is_unhealthy_and_the_folder_stays_gone()
    {
        string root = Folder["root"];
        Directory.CreateDirectory(root);
        await using var store = new LocalFileStore(root);
        await using WebApplication application = await StartAsync(checks => checks.AddMillraceTransferCheck(store));
        Assert.Equal((HttpStatusCode.OK, "Healthy"), await AskAsync(application));

        Directory.Delete(root, recursive: true);
        _clock.Seconds++;
        Assert.Equal((HttpStatusCode.ServiceUnavailable, "Unhealthy"), await AskAsync(application));
        Assert.False(Directory.Exists(root));
    }

    [Fact]
    public async Task Store_without_the_required_free_space_has_the_status_that_was_chosen()
    {
        await using var store = new LocalFileStore(Folder["."], new LocalFileStoreOptions { FreeSpaceToLeave = long.MaxValue });
        await using WebApplication application = await StartAsync(
            checks => checks.AddMillraceTransferCheck(name: "files", failureStatus: HealthStatus.Degraded), store);

        HealthReport report = await CheckAsync(application);
        Assert.Equal(HealthStatus.Degraded, report.Status);
        Assert.Contains("have to stay free", report.Entries["files"].Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_stores_are_checked_each_by_its_name()
    {
        await using var one = new LocalFileStore(Directory.CreateDirectory(Folder["one"]).FullName);
        await using var full = new LocalFileStore(
            Directory.CreateDirectory(Folder["full"]).FullName, new LocalFileStoreOptions { FreeSpaceToLeave = long.MaxValue });
        await using WebApplication application = await StartAsync(
            checks => checks.AddMillraceTransferCheck(one, "one").AddMillraceTransferCheck(full, "full"));

        HealthReport report = await CheckAsync(application);
        Assert.Equal((HealthStatus.Healthy, HealthStatus.Unhealthy), (report.Entries["one"].Status, report.Entries["full"].Status));
    }

    private static Task<HealthReport> CheckAsync(WebApplication application) =>
        application.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();

    private static async Task<(HttpStatusCode Status, string Text)> AskAsync(WebApplication application)
    {
        using var client = new HttpClient();
        using HttpResponseMessage response = await client.GetAsync(new Uri(new Uri(application.Urls.First()), "/healthz"));
        return (response.StatusCode, await response.Content.ReadAsStringAsync());
    }

    private async Task<WebApplication> StartAsync(Action<IHealthChecksBuilder> configure, IFileStore? store = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddSingleton<TimeProvider>(_clock);
        if (store is not null)
        {
            builder.Services.AddSingleton(store);
        }

        configure(builder.Services.AddHealthChecks());
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        WebApplication application = builder.Build();
        application.MapHealthChecks("/healthz");
        await application.StartAsync();
        return application;
    }

    private sealed class SecondsClock : TimeProvider
    {
        public long Seconds { get; set; }

        public override long TimestampFrequency => 1;

        public override long GetTimestamp() => Seconds;
    }
}
