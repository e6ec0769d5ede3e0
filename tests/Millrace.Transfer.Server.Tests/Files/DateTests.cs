using System.Formats.Tar;
using System.Globalization;
using System.IO.Compression;
using Millrace.Transfer.Messages;
using Millrace.Transfer.Server.Tests.Grpc;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Dates that some file systems keep and not every format has.</summary>
[NeedsLocalFolder]
public sealed class DateTests : GrpcTest
{
    private static readonly DateTimeOffset Now = DateTimeOffset.UtcNow;

    /// <summary>Seconds since 1970, and their date: the nearest one that .NET has.</summary>
    public static TheoryData<long, string, bool> Dates()
    {
        var dates = new TheoryData<long, string, bool>();
        foreach (bool portable in new[] { false, true })
        {
            dates.Add(-100_000_000_000, "0001-01-01T00:00:00", portable);
            dates.Add(-30_000_000_000, "1019-05-04T18:40:00", portable);
            dates.Add(-1, "1969-12-31T23:59:59", portable);
            dates.Add(9_300_000_000, "2264-09-14T21:20:00", portable);
            dates.Add(10_413_792_000, "2300-01-01T00:00:00", portable);
            dates.Add(253_402_300_799, "9999-12-31T23:59:59", portable);
            dates.Add(253_402_300_800, "9999-12-31T23:59:59", portable);
            dates.Add(900_000_000_000, "9999-12-31T23:59:59", portable);
        }

        return dates;
    }

    [NeedsTheory(Need.Mount), MemberData(nameof(Dates))]
    public async Task File_of_any_date_is_listed_sent_archived_replaced_and_deleted(long seconds, string expected, bool portable)
    {
        await ServeAsync(host: options => options.Store.Portable = portable);
        using MountedDisk disk = MountedDisk.InMemory(1 << 20, PathOf("disk"));
        Directory.CreateDirectory(disk["folder"]);
        File.WriteAllText(disk["a"], "old");
        Touch(disk["a"], seconds);
        Touch(disk["folder"], seconds);
        DateTimeOffset date = DateTimeOffset.Parse(expected, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal);

        string listing = await ListAsync("/files/disk/", "application/json");
        Assert.Equal(3, listing.Split(expected).Length);
        Assert.Contains(expected, await ListAsync("/files/disk/", "text/html"), StringComparison.Ordinal);
        GrpcReply list = await CallAsync("List", new ListRequest { Folder = "disk" });
        Assert.Equal(date.ToUnixTimeSeconds(), ListEntry.Parser.ParseFrom(list.Messages[0]).File.Modified.Seconds);

        using (HttpResponseMessage got = await Server.Client.GetAsync("/files/disk/a"))
        {
            Assert.Equal("old", await got.Content.ReadAsStringAsync());
            Assert.Equal(date < Now ? date : got.Headers.Date, got.Content.Headers.LastModified);
        }

        await CheckArchivesAsync(date);
        using (HttpResponseMessage put = await Server.Client.PutAsync("/files/disk/a", new StringContent("new")))
        {
            Assert.Equal(HttpStatusCode.NoContent, put.StatusCode);
        }

        Touch(disk["a"], seconds);
        using (HttpResponseMessage moved = await Server.Client.SendAsync(new HttpRequestMessage(new HttpMethod("MOVE"), "/files/disk/a")
        {
            Headers = { { "Destination", "/files/disk/b" } },
        }))
        {
            Assert.Equal(HttpStatusCode.Created, moved.StatusCode);
        }

        Assert.Equal(HttpStatusCode.NoContent, (await Server.Client.DeleteAsync("/files/disk/b")).StatusCode);
        Assert.Equal(HttpStatusCode.NoContent, (await Server.Client.DeleteAsync("/files/disk/folder/")).StatusCode);
    }

    [Fact]
    public async Task Date_of_a_file_is_not_later_than_the_response_so_that_the_next_version_is_newer()
    {
        await Server.WriteAsync("a", "old"u8.ToArray());
        File.SetLastWriteTimeUtc(PathOf("a"), Now.UtcDateTime.AddYears(20));
        using HttpResponseMessage first = await Server.Client.GetAsync("/files/a");
        Assert.Equal(first.Headers.Date, first.Content.Headers.LastModified);
        Assert.InRange(first.Headers.Date!.Value, Now.AddSeconds(-1), DateTimeOffset.UtcNow);

        using var head = await Server.Client.SendAsync(new HttpRequestMessage(HttpMethod.Head, "/files/a"));
        Assert.Equal(head.Headers.Date, head.Content.Headers.LastModified);

        // A client with the date of the file itself, from another server or by its own clock, gets the next version, too.
        await (await Server.Client.PutAsync("/files/a", new StringContent("new"))).Content.ReadAsStringAsync();
        File.SetLastWriteTimeUtc(PathOf("a"), first.Content.Headers.LastModified!.Value.UtcDateTime.AddSeconds(1));
        foreach (DateTimeOffset since in new[] { first.Content.Headers.LastModified!.Value, Now.AddYears(20) })
        {
            var request = new HttpRequestMessage(HttpMethod.Get, "/files/a") { Headers = { IfModifiedSince = since } };
            using HttpResponseMessage second = await Server.Client.SendAsync(request);
            Assert.Equal((HttpStatusCode.OK, "new"), (second.StatusCode, await second.Content.ReadAsStringAsync()));
        }
    }

    private static void Touch(string path, long seconds) => Shell.Run("touch", "-d", $"@{seconds}", path);

    private async Task<string> ListAsync(string path, string mediaType)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, path) { Headers = { Accept = { new(mediaType) } } };
        using HttpResponseMessage response = await Server.Client.SendAsync(request);
        return await response.Content.ReadAsStringAsync();
    }

    private async Task CheckArchivesAsync(DateTimeOffset date)
    {
        await using var tar = new TarReader(await Server.Client.GetStreamAsync("/files/disk/?archive=tar"));
        TarEntry? entry = await tar.GetNextEntryAsync();
        Assert.Equal(date < DateTimeOffset.UnixEpoch ? 0 : date.ToUnixTimeSeconds(), entry!.ModificationTime.ToUnixTimeSeconds());

        using var zip = new ZipArchive(await Server.Client.GetStreamAsync("/files/disk/?archive=zip"));
        Assert.Equal(Math.Clamp(date.Year, 1980, 2107), Assert.Single(zip.Entries).LastWriteTime.Year);
    }
}
