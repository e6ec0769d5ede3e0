using System.Globalization;

namespace Millrace.Transfer.Server.Tests.Uploads;

/// <summary>What uploads that were only started may take of a server, in every protocol.</summary>
[NeedsLocalFolder]
public sealed class UploadLimitTests : UploadProtocolTest
{
    [Theory, EveryValue]
    public async Task Uploads_over_the_limit_of_a_token_are_refused_with_a_retry_time(UploadProtocol protocol)
    {
        await ServeAsync(host: static host => host.Store.MaxUploadsPerCaller = 2);
        var tokens = new TokenStore(TokenStore.DefaultPath(Server.Folder));
        string one = (await tokens.AddAsync("one", TransferScope.Write)).Secret;
        string two = (await tokens.AddAsync("two", TransferScope.Write)).Secret;
        for (int i = 0; i < 2; i++)
        {
            Assert.NotNull((await TryBeginAsync(protocol, 5, token: one)).Upload);
        }

        (_, UploadReply refused, string? retryAfter) = await TryBeginAsync(protocol, 5, token: one);

        Assert.Equal(UploadReply.Refused(protocol, TransferError.TooManyTransfers), refused);
        Assert.True(int.Parse(retryAfter!, CultureInfo.InvariantCulture) > 0);
        Assert.NotNull((await TryBeginAsync(protocol, 5, token: two)).Upload);
    }

    [Theory, EveryValue]
    public async Task Anonymous_callers_are_limited_by_address(UploadProtocol protocol)
    {
        await ServeAsync(host: static host => host.Store.MaxUploadsPerCaller = 1);
        string first = await BeginAsync(protocol, 2);
        Assert.Equal(UploadReply.Refused(protocol, TransferError.TooManyTransfers), (await TryBeginAsync(protocol, 2)).Reply);

        // One that is published makes room.
        Assert.Null((await AppendAsync(protocol, first, 0, new byte[2], isLast: true)).Error);
        string second = await BeginAsync(protocol, 2);
        Assert.Null((await DeleteAsync(protocol, second)).Error);
        await BeginAsync(protocol, 2);
    }

    [Theory, EveryValue]
    public async Task Announced_length_takes_nothing_of_the_total(UploadProtocol protocol)
    {
        await ServeAsync(host: static host => host.Store.MaxTotalBytes = 1_000_000);
        string upload = await BeginAsync(protocol, 1_000_000);

        await Server.Client.PutAsync("/files/b", new ByteArrayContent(new byte[600_000])).AnswersAsync(HttpStatusCode.Created);

        // Received bytes count.
        Assert.Equal(
            UploadReply.Refused(protocol, TransferError.NoSpace, 0),
            (await AppendAsync(protocol, upload, 0, new byte[500_000], isLast: false)) with { Offset = 0 });
        Assert.Equal(UploadReply.Refused(protocol, TransferError.NoSpace), (await TryBeginAsync(protocol, 500_000)).Reply);
        Assert.Null((await TryBeginAsync(protocol, 400_000)).Reply.Error);
    }
}
