using System.Globalization;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Tests.Downloading;

/// <summary>Files of which the server does not say how long they are, or that are longer than is allowed.</summary>
public sealed class EndlessDownloadTests
{
    private const int Limit = 1_000_000;

    private static readonly TransferName File = Clients.Name("x");

    [NeedsTheory(Need.Mount)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Endless_file_leaves_one_percent_of_the_disk(bool resumes)
    {
        const long DiskBytes = 100_000_000;
        using MountedDisk disk = MountedDisk.InMemory(DiskBytes);
        await using HostileServer server = await EndlessAsync();
        using TransferClient client = server.Connect(static options => options.Protocol = TransferProtocol.Http1);

        TransferException exception = await Fails.WithAsync(
            TransferError.NoSpace, () => client.GetAsync(File, disk["x"], new GetOptions { Resume = resumes }));

        Assert.Contains("less than 1 % of the disk is free", exception.Message, StringComparison.Ordinal);
        long came = long.Parse(Regex.Match(exception.Message, @"after (\d+) bytes").Groups[1].Value, CultureInfo.InvariantCulture);
        Assert.InRange(came, DiskBytes / 100 * 95, DiskBytes / 100 * 99 + 1_000_000);
        Assert.Empty(disk.Names);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task File_that_is_longer_than_allowed_is_refused(bool saysLength, bool toStream)
    {
        using var folder = new TemporaryFolder();
        await using HostileServer server = await EndlessAsync(saysLength ? Limit + 1 : null);
        using TransferClient client = server.Connect(static options => options.Protocol = TransferProtocol.Http1);
        using var stream = new MemoryStream();
        var options = new GetOptions { MaxBytes = Limit, Resume = !toStream };

        TransferException exception = await Fails.WithAsync(TransferError.TooLarge, () => toStream
            ? client.GetAsync(File, stream, options)
            : client.GetAsync(File, folder["x"], options));

        Assert.Contains($"{Limit} bytes that you allow", exception.Message, StringComparison.Ordinal);
        Assert.InRange(stream.Length, 0, saysLength ? 0 : Limit);
        Assert.Empty(folder.Files);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task File_of_the_allowed_length_arrives(bool saysLength)
    {
        await using HostileServer server = await HostileServer.StartDescribedAsync(context =>
        {
            context.Response.ContentLength = saysLength ? Limit : null;
            return context.Response.Body.WriteAsync(new byte[Limit]).AsTask();
        });
        using TransferClient client = server.Connect(static options =>
        {
            options.Protocol = TransferProtocol.Http1;
            options.VerifyDigests = false;
        });
        using var stream = new MemoryStream();

        await client.GetAsync(File, stream, new GetOptions { MaxBytes = Limit });

        Assert.Equal(Limit, stream.Length);
    }

    private static Task<HostileServer> EndlessAsync(long? length = null) => HostileServer.StartDescribedAsync(context =>
    {
        if (HttpMethods.IsHead(context.Request.Method))
        {
            return Task.CompletedTask;
        }

        context.Response.ContentLength = length;
        return HostileServer.EndlessAsync(context, "", "application/octet-stream");
    });
}
